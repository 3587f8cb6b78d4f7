// The extension: starts `spyhop lsp`, offers a ranked search with live results, and answers for definitions, references,
// symbols and hovers.
//
// The server counts columns in UTF-16, as VS Code does, so positions are passed on as they are.

"use strict";

const vscode = require("vscode");
const { Client } = require("./client.js");

// How long the search waits for another key, in milliseconds.
const PAUSE = 120;
const HITS = 30;
// The code of a cancelled request.
const CANCELLED = -32800;

let client;
let output;

function settings() {
  return vscode.workspace.getConfiguration("spyhop");
}

function folders() {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter((folder) => folder.uri.scheme === "file")
    .map((folder) => ({ uri: folder.uri.toString(), name: folder.name }));
}

async function start() {
  const program = settings().get("path") || "spyhop";
  const extra = settings().get("arguments") ?? [];
  client = new Client(program, ["lsp", ...extra], {
    log: (line) => output.appendLine(line),
    notified,
    ended: (error) => {
      output.appendLine(String(error));
      const text = error.code === "ENOENT" ? `the program '${program}' was not found` : error.message;
      vscode.window.showErrorMessage(`Spyhop: ${text}; the setting spyhop.path names the program`);
    },
  });
  const capabilities = {
    general: { positionEncodings: ["utf-16"] },
    window: { workDoneProgress: true },
    textDocument: { documentSymbol: { hierarchicalDocumentSymbolSupport: true } },
  };
  await client.start({ processId: process.pid, capabilities, workspaceFolders: folders() });
  vscode.workspace.textDocuments.forEach(opened);
}

function notified(method, params) {
  if (method === "window/showMessage") vscode.window.showWarningMessage(params.message);
  if (method === "$/progress") progressed(params.value);
}

let status;

function progressed(value) {
  status?.dispose();
  if (value.kind !== "end") status = vscode.window.setStatusBarMessage(value.message ? `Spyhop: ${value.message}` : value.title);
}

function opened(document) {
  if (document.uri.scheme !== "file") return;
  const textDocument = {
    uri: document.uri.toString(),
    languageId: document.languageId,
    version: document.version,
    text: document.getText(),
  };
  client?.notify("textDocument/didOpen", { textDocument });
}

function changed({ document }) {
  if (document.uri.scheme !== "file") return;
  const textDocument = { uri: document.uri.toString(), version: document.version };
  client?.notify("textDocument/didChange", { textDocument, contentChanges: [{ text: document.getText() }] });
}

function closed(document) {
  client?.notify("textDocument/didClose", { textDocument: { uri: document.uri.toString() } });
}

function foldersChanged({ added, removed }) {
  const named = (list) => list.map((folder) => ({ uri: folder.uri.toString(), name: folder.name }));
  client?.notify("workspace/didChangeWorkspaceFolders", { event: { added: named(added), removed: named(removed) } });
}

// The result of a request; nothing where it was cancelled or failed, which the log says.
async function asked(method, params, token) {
  try {
    return await client.request(method, params, token);
  } catch (error) {
    if (error.code !== CANCELLED) output.appendLine(`${method}: ${error.message}`);
    return undefined;
  }
}

const range = ({ start, end }) => new vscode.Range(start.line, start.character, end.line, end.character);
const location = (found) => new vscode.Location(vscode.Uri.parse(found.uri), range(found.range));
const at = (document, position) => ({
  textDocument: { uri: document.uri.toString() },
  position: { line: position.line, character: position.character },
});

function nested(symbol) {
  const { name, detail, kind, children } = symbol;
  // The protocol counts kinds from 1, VS Code from 0.
  const made = new vscode.DocumentSymbol(name, detail ?? "", kind - 1, range(symbol.range), range(symbol.selectionRange));
  made.children = (children ?? []).map(nested);
  return made;
}

const providers = {
  async provideDefinition(document, position, token) {
    return (await asked("textDocument/definition", at(document, position), token))?.map(location);
  },
  async provideReferences(document, position, context, token) {
    const params = { ...at(document, position), context: { includeDeclaration: context.includeDeclaration } };
    return (await asked("textDocument/references", params, token))?.map(location);
  },
  async provideHover(document, position, token) {
    const hover = await asked("textDocument/hover", at(document, position), token);
    return hover ? new vscode.Hover(new vscode.MarkdownString(hover.contents.value)) : undefined;
  },
  async provideDocumentSymbols(document, token) {
    const textDocument = { uri: document.uri.toString() };
    return (await asked("textDocument/documentSymbol", { textDocument }, token))?.map(nested);
  },
  async provideWorkspaceSymbols(query, token) {
    const found = await asked("workspace/symbol", { query }, token);
    return found?.map(
      ({ name, containerName, kind, location: place }) =>
        new vscode.SymbolInformation(name, kind - 1, containerName ?? "", location(place)),
    );
  },
};

function navigation() {
  if (!settings().get("navigation", true)) return [];
  const files = { scheme: "file" };
  return [
    vscode.languages.registerDefinitionProvider(files, providers),
    vscode.languages.registerReferenceProvider(files, providers),
    vscode.languages.registerHoverProvider(files, providers),
    vscode.languages.registerDocumentSymbolProvider(files, providers, { label: "Spyhop" }),
    vscode.languages.registerWorkspaceSymbolProvider(providers),
  ];
}

function item(hit) {
  return {
    label: hit.symbol ?? hit.path,
    description: `${hit.path}:${hit.range.start.line + 1}  ${hit.score.toFixed(2)} ${hit.band}`,
    detail: hit.evidence.join(" · "),
    // The server has chosen the hits; the list must not choose again by the letters typed.
    alwaysShow: true,
    hit,
  };
}

async function show(hit, options) {
  const start = new vscode.Position(hit.range.start.line, hit.range.start.character);
  await vscode.window.showTextDocument(vscode.Uri.parse(hit.uri), { ...options, selection: new vscode.Range(start, start) });
}

// A list that is searched anew while the user types.
function pick() {
  const list = vscode.window.createQuickPick();
  list.placeholder = "What the code does, a name, a message";
  list.matchOnDescription = list.matchOnDetail = true;
  let timer;
  let running;
  const search = async (query) => {
    running?.cancel();
    const own = (running = new vscode.CancellationTokenSource());
    if (query.trim() === "") {
      list.items = [];
      list.busy = false;
      return;
    }
    list.busy = true;
    const params = { command: "spyhop.search", arguments: [{ query, n: HITS }] };
    const hits = await asked("workspace/executeCommand", params, own.token);
    if (own !== running) return;
    list.busy = false;
    list.items = (hits ?? []).map(item);
  };
  list.onDidChangeValue((query) => {
    clearTimeout(timer);
    timer = setTimeout(() => search(query), PAUSE);
  });
  list.onDidChangeActive(([active]) => {
    if (active) show(active.hit, { preview: true, preserveFocus: true });
  });
  list.onDidAccept(() => {
    const [chosen] = list.selectedItems;
    list.hide();
    if (chosen) show(chosen.hit, { preview: false });
  });
  list.onDidHide(() => {
    clearTimeout(timer);
    running?.cancel();
    list.dispose();
  });
  list.show();
  return list;
}

async function restart() {
  await client?.stop();
  await start();
}

async function activate(context) {
  output = vscode.window.createOutputChannel("Spyhop");
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("spyhop.pick", pick),
    vscode.commands.registerCommand("spyhop.restart", restart),
    vscode.workspace.onDidOpenTextDocument(opened),
    vscode.workspace.onDidChangeTextDocument(changed),
    vscode.workspace.onDidCloseTextDocument(closed),
    vscode.workspace.onDidChangeWorkspaceFolders(foldersChanged),
    ...navigation(),
  );
  // A server that does not start is told of by `ended`; the commands stay.
  await start().catch((error) => output.appendLine(String(error)));
}

async function deactivate() {
  await client?.stop();
}

module.exports = { activate, deactivate };
