// A session of the client library of VS Code, vscode-languageclient, with `spyhop lsp`. The library sends what it sends in VS
// Code; only the interface of the editor is a stub.
//
//     .ci/clients languageclient target/debug/spyhop
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "spyhop-lsp-")));
const root = path.join(folder, "tree");
const files = {
  "src/pool.rs": "/// A pool.\npub struct Pool;\n\nimpl Pool {\n    /// Takes a permit.\n    pub fn take(&self) {}\n}\n",
  "src/main.rs": 'fn main() {\n    let s = "𝄞"; Pool.take();\n}\n',
};
for (const [name, text] of Object.entries(files)) {
  fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  fs.writeFileSync(path.join(root, name), text);
}
process.env.SPYHOP_INDEX_DIR = path.join(folder, "index");

const logged = [];
const stub = require("./vscode.cjs")(root, (line) => logged.push(line));
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? stub : load(name, ...rest));
const { LanguageClient, State } = require("vscode-languageclient/node");

const said = (step) => console.log(`ok  ${step}`);
const uri = (name) => `file://${path.join(root, name)}`;
const server = { command: path.resolve(process.argv[2]), args: ["lsp"] };
const client = new LanguageClient("spyhop", "Spyhop", server, { documentSelector: [{ scheme: "file" }] });

async function session() {
  await client.start();
  const { capabilities, serverInfo } = client.initializeResult;
  assert.equal(serverInfo.name, "spyhop");
  assert.equal(capabilities.positionEncoding, "utf-16");
  said("start");

  const symbols = await client.sendRequest("workspace/symbol", { query: "Pool.take" });
  assert.equal(symbols[0].name, "take");
  assert.equal(symbols[0].location.uri, uri("src/pool.rs"));
  said("workspace symbols");

  const text = files["src/main.rs"];
  const textDocument = { uri: uri("src/main.rs"), languageId: "rust", version: 1, text };
  await client.sendNotification("textDocument/didOpen", { textDocument });
  // Columns are counted in UTF-16, as the strings of JavaScript count.
  const character = text.split("\n")[1].indexOf("take") + 1;
  const at = { textDocument: { uri: uri("src/main.rs") }, position: { line: 1, character } };
  const definition = await client.sendRequest("textDocument/definition", at);
  assert.deepEqual(definition.map((place) => [place.uri, place.range.start.line]), [[uri("src/pool.rs"), 5]]);
  const context = { includeDeclaration: true };
  const references = await client.sendRequest("textDocument/references", { ...at, context });
  assert.deepEqual(references.map((place) => place.uri).sort(), [uri("src/main.rs"), uri("src/pool.rs")]);
  assert.equal(references.find((place) => place.uri === uri("src/main.rs")).range.start.character, character - 1);
  assert.match((await client.sendRequest("textDocument/hover", at)).contents.value, /fn take/);
  said("definition, references and hover");

  const outline = await client.sendRequest("textDocument/documentSymbol", { textDocument: { uri: uri("src/pool.rs") } });
  const names = (list) => list.flatMap(({ name, children }) => [name, ...names(children ?? [])]);
  assert.ok(names(outline).includes("Pool") && names(outline).includes("take"), JSON.stringify(outline));
  said("document symbols");

  const command = { command: "spyhop.search", arguments: [{ query: "takes a permit", n: 1 }] };
  const [hit] = await client.sendRequest("workspace/executeCommand", command);
  assert.equal(hit.path, "src/pool.rs");
  said("ranked search");

  const cancelled = new stub.CancellationTokenSource();
  const slow = client.sendRequest("workspace/symbol", { query: "t" }, cancelled.token);
  cancelled.cancel();
  await assert.rejects(slow, { code: -32800 });
  await assert.rejects(client.sendRequest("workspace/symbol", { query: 1 }), { code: -32602 });
  said("cancel and errors");

  await client.stop();
  assert.equal(client.state, State.Stopped);
  said("stop");
}

session()
  .finally(() => fs.rmSync(folder, { recursive: true, force: true }))
  .catch((error) => {
    console.error(error, logged.join("\n"));
    process.exit(1);
  });
