// As much of VS Code's interface as the extension uses. What the extension registers and shows is kept for the test.

"use strict";

const fs = require("node:fs");
const path = require("node:path");

const kept = { commands: {}, providers: {}, shown: [], errors: [], lists: [], handlers: {} };
const disposable = { dispose() {} };

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  constructor(...args) {
    const [start, end] = args.length === 2 ? args : [new Position(args[0], args[1]), new Position(args[2], args[3])];
    Object.assign(this, { start, end });
  }
}

const plain = (...names) =>
  class {
    constructor(...values) {
      names.forEach((name, index) => (this[name] = values[index]));
    }
  };

class CancellationTokenSource {
  constructor() {
    const listeners = [];
    this.token = { onCancellationRequested: (listener) => (listeners.push(listener), disposable) };
    this.cancel = () => listeners.splice(0).forEach((listener) => listener());
  }
}

const uri = (text) => ({ scheme: text.split(":")[0], toString: () => text });

function createQuickPick() {
  const list = { items: [], selectedItems: [], show() {}, dispose() {}, hide: () => list.on.DidHide?.(), on: {} };
  for (const event of ["DidChangeValue", "DidChangeActive", "DidAccept", "DidHide"]) {
    list[`on${event}`] = (handler) => (list.on[event] = handler);
  }
  kept.lists.push(list);
  return list;
}

const provider = (kind) => (...args) => ((kept.providers[kind] = args.find((arg) => arg.provideHover)), disposable);
const handler = (kind) => (call) => ((kept.handlers[kind] = call), disposable);

function document(root, name) {
  const file = path.join(root, name);
  return { uri: uri(`file://${file}`), languageId: "rust", version: 1, getText: () => fs.readFileSync(file, "utf8") };
}

module.exports = {
  kept,
  document,
  Position,
  Range,
  CancellationTokenSource,
  Location: plain("uri", "range"),
  Hover: plain("contents"),
  MarkdownString: plain("value"),
  DocumentSymbol: plain("name", "detail", "kind", "range", "selectionRange"),
  SymbolInformation: plain("name", "kind", "containerName", "location"),
  Uri: { parse: uri },
  commands: { registerCommand: (name, call) => ((kept.commands[name] = call), disposable) },
  languages: {
    registerDefinitionProvider: provider("definition"),
    registerReferenceProvider: provider("references"),
    registerHoverProvider: provider("hover"),
    registerDocumentSymbolProvider: provider("document"),
    registerWorkspaceSymbolProvider: provider("workspace"),
  },
  window: {
    createOutputChannel: () => ({ appendLine: (line) => console.log(`log: ${line}`), dispose() {} }),
    createQuickPick,
    showErrorMessage: (text) => kept.errors.push(text),
    showWarningMessage: (text) => kept.errors.push(text),
    setStatusBarMessage: () => disposable,
    showTextDocument: async (at, options) => kept.shown.push([at.toString(), options.selection.start.line]),
  },
  workspace: {
    textDocuments: [],
    workspaceFolders: [],
    settings: {},
    getConfiguration: () => ({ get: (name, other) => module.exports.workspace.settings[name] ?? other }),
    onDidOpenTextDocument: handler("opened"),
    onDidChangeTextDocument: handler("changed"),
    onDidCloseTextDocument: handler("closed"),
    onDidChangeWorkspaceFolders: handler("folders"),
  },
};
