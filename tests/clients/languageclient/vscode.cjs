// The part of VS Code's API that vscode-languageclient needs before it talks to a server. What is not written here is a class
// that does nothing.
"use strict";

const disposable = { dispose() {} };

class Disposable {
  constructor(call) {
    this.dispose = () => call?.();
  }
  static from(...items) {
    return new Disposable(() => items.forEach((item) => item?.dispose()));
  }
}

class EventEmitter {
  constructor() {
    this.listeners = new Set();
    this.event = (listener) => (this.listeners.add(listener), new Disposable(() => this.listeners.delete(listener)));
  }
  fire(value) {
    this.listeners.forEach((listener) => listener(value));
  }
  dispose() {}
}

class CancellationTokenSource {
  constructor() {
    const emitter = new EventEmitter();
    this.token = { isCancellationRequested: false, onCancellationRequested: emitter.event };
    this.cancel = () => ((this.token.isCancellationRequested = true), emitter.fire());
    this.dispose = () => {};
  }
}

const anything = () =>
  new Proxy(class {}, {
    get: (target, name) => (name in target || typeof name === "symbol" ? target[name] : anything()),
    apply: () => disposable,
  });
const within = (known) =>
  new Proxy(known, {
    get: (target, name) => {
      if (name in target || typeof name === "symbol" || name === "then") return target[name];
      if (/^on[A-Z]|^register|^create/.test(name)) return () => disposable;
      return anything();
    },
  });

module.exports = (root, log) => {
  const uri = (text) => ({
    scheme: text.split(":")[0],
    fsPath: decodeURIComponent(text.slice(7)),
    toString: () => text,
    with() {
      return this;
    },
  });
  const channel = { append: log, appendLine: log, show() {}, dispose() {}, clear() {}, name: "spyhop" };
  for (const level of ["trace", "debug", "info", "warn", "error"]) channel[level] = log;
  channel.onDidChangeLogLevel = () => disposable;
  channel.logLevel = 0;
  const folder = { uri: uri(`file://${root}`), name: "tree", index: 0 };
  return within({
    __esModule: true,
    version: "1.106.0",
    Disposable,
    EventEmitter,
    CancellationTokenSource,
    CancellationError: class extends Error {},
    Uri: { parse: uri, file: (path) => uri(`file://${path}`) },
    env: within({ appName: "Visual Studio Code", language: "en" }),
    window: within({
      createOutputChannel: () => channel,
      visibleTextEditors: [],
      tabGroups: within({ all: [], onDidChangeTabs: () => disposable }),
      showErrorMessage: async (text) => log(text),
    }),
    workspace: within({
      workspaceFolders: [folder],
      getWorkspaceFolder: () => folder,
      getConfiguration: () => ({ get: (_, other) => other, has: () => false }),
      textDocuments: [],
      notebookDocuments: [],
      isTrusted: true,
    }),
    languages: within({ match: () => 1, createDiagnosticCollection: () => within({}) }),
    extensions: within({ all: [] }),
    ConfigurationTarget: {},
    SymbolKind: {},
    CompletionItemTag: {},
    LogLevel: { Off: 0 },
  });
};
