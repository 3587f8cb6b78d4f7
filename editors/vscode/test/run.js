// Runs the extension against a real server, with a stub of VS Code: SPYHOP is the program, ROOT a tree with `src/main.rs`
// and `src/pool.rs`. Without these variables only loading is tested. Prints `ok` as the last line.

"use strict";

const assert = require("node:assert");
const Module = require("node:module");

const stub = require("./vscode.js");
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? stub : load(name, ...rest));
const extension = require("../extension.js");
const manifest = require("../package.json");

const { kept, workspace } = stub;
const token = new stub.CancellationTokenSource().token;

async function until(condition, what) {
  for (let tries = 0; tries < 300; tries++) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`timed out: ${what}`);
}

async function againstServer(program, root) {
  const main = stub.document(root, "src/main.rs");
  workspace.settings = { path: program };
  workspace.workspaceFolders = [{ uri: stub.Uri.parse(`file://${root}`), name: "tree" }];
  workspace.textDocuments = [main];
  await extension.activate({ subscriptions: [] });
  for (const { command } of manifest.contributes.commands) assert.ok(kept.commands[command], command);

  const line = main.getText().split("\n").findIndex((text) => text.includes("Pool::take"));
  const position = new stub.Position(line, 11);
  const { provideDefinition, provideReferences, provideHover, provideDocumentSymbols, provideWorkspaceSymbols } =
    kept.providers.definition;
  const [definition] = await provideDefinition(main, position, token);
  assert.equal(definition.uri.toString(), `file://${root}/src/pool.rs`);
  const references = await provideReferences(main, position, { includeDeclaration: true }, token);
  assert.ok(references.length > 1);
  assert.match((await provideHover(main, position, token)).contents.value, /fn take/);
  const symbols = await provideDocumentSymbols(main, token);
  // 11 is a function in VS Code.
  assert.deepEqual(symbols.filter(({ name }) => name === "main").map(({ kind }) => kind), [11]);
  assert.equal((await provideWorkspaceSymbols("Pool.take", token))[0].name, "take");

  const list = kept.commands["spyhop.pick"]();
  list.on.DidChangeValue("queue");
  list.on.DidChangeValue("take a permit");
  await until(() => list.items.length > 0 && !list.busy, "the search");
  assert.equal(list.items[0].label, "Pool.take");
  list.selectedItems = [list.items[0]];
  list.on.DidAccept();
  assert.deepEqual(kept.shown, [[`file://${root}/src/pool.rs`, definition.range.start.line]]);

  await kept.commands["spyhop.restart"]();
  assert.equal((await provideWorkspaceSymbols("Pool.take", token))[0].name, "take");
  assert.deepEqual(kept.errors, []);
  await extension.deactivate();
}

async function withoutServer() {
  workspace.settings = { path: "/no/such/program" };
  await extension.activate({ subscriptions: [] });
  await until(() => kept.errors.length > 0, "the message");
  assert.match(kept.errors[0], /'\/no\/such\/program' was not found/);
}

(async () => {
  if (process.env.SPYHOP) await againstServer(process.env.SPYHOP, process.env.ROOT);
  await withoutServer();
  console.log("ok");
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
