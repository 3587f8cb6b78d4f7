// A whole session of the official TypeScript client with the real server.
//
//     npm install --no-package-lock --prefix tests/clients/typescript
//     node tests/clients/typescript/session.mjs target/debug/spyhop
//
// The same steps as the Python session: list, the index being built, cancel, progress, search, page, error, alias.
// Plain JavaScript, so that nothing has to be compiled first.
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport, getDefaultEnvironment } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ACTIVE, FILES, data, make, said } from "./common.mjs";

const program = path.resolve(process.argv[2]);
const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "spyhop-session-")));
const tree = path.join(folder, "tree");
fs.mkdirSync(tree);
make(tree);

const transport = new StdioClientTransport({
  command: program,
  args: ["mcp", "--structured", "full", "--threads", "1", tree],
  env: {
    ...getDefaultEnvironment(),
    SPYHOP_INDEX_DIR: path.join(folder, "index"),
    SPYHOP_LOG: "spyhop::mcp=info",
  },
  stderr: "pipe",
});
let log = "";
transport.stderr?.on("data", (chunk) => (log += chunk));
const client = new Client({ name: "session", version: "1.0.0" });
const call = (name, args = {}, options = {}) =>
  client.callTool({ name, arguments: args }, undefined, { timeout: 120_000, ...options });

try {
  await client.connect(transport);
  assert.equal(client.getServerVersion()?.name, "spyhop");
  said("initialize");

  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), ACTIVE);
  said("list");

  assert.equal(data(await call("index_status")).state, "indexing");
  said("state while indexing");

  const abort = new AbortController();
  const onprogress = () => abort.abort("enough");
  await assert.rejects(call("codebase_search", { query: "api key" }, { signal: abort.signal, onprogress }));
  for (let turn = 0; !log.includes("cancelled") && turn < 200; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.match(log, /cancelled/);
  said("cancel");

  let parts = [];
  let first;
  for (let turn = 0; turn < 20; turn++) {
    parts = [];
    const follow = ({ progress }) => parts.push(progress);
    first = data(await call("codebase_search", { query: "where is the api key resolved" }, { onprogress: follow }));
    if (first.state !== "indexing") break;
  }
  assert.deepEqual(parts, [...new Set(parts)].sort((a, b) => a - b));
  // The last one may be overtaken by the result: this client hands notifications out a little later.
  assert.ok(parts.length > 0 && parts.at(-1) <= 100, JSON.stringify(parts));
  assert.equal(first.results[0].path, "auth.js");
  said(`progress (${parts.length} notifications)`);

  const found = await call("codebase_search", { query: "where is the api key resolved", max_results: 3 });
  const hit = data(found).results[0];
  assert.equal(hit.symbol, "resolveApiKey");
  assert.ok(hit.link.startsWith("file:///") && hit.link.includes("/auth.js#L"), hit.link);
  assert.ok(found.content[0].text.startsWith("auth.js:"), found.content[0].text);
  said("search");

  const lines = data(await call("grep_files", { pattern: "function resolve\\w+" }));
  assert.deepEqual(lines.results.map((row) => `${row.path}:${row.line}`), ["auth.js:2"]);
  assert.equal(data(await call("file_search", { pattern: "auth" })).results[0].path, "auth.js");
  assert.equal(data(await call("project_map", {})).files, FILES + 1);
  said("grep, files, map");

  const key = (row) => `${row.path}:${row.line}`;
  const question = { query: "turns value of part", per_file: 1 };
  const whole = data(await call("codebase_search", { ...question, limit: 12 })).results.map(key);
  const paged = [];
  let cursor = null;
  while (paged.length < 12) {
    const page = await call("codebase_search", { ...question, max_tokens: 500, cursor });
    assert.ok(Buffer.byteLength(page.content[0].text) <= 4 * 500);
    paged.push(...data(page).results.map(key));
    cursor = data(page).next;
  }
  assert.deepEqual(paged.slice(0, 12), whole);
  said("page");

  const refused = await call("codebase_search", { query: "a", path: "/etc" });
  assert.ok(refused.isError && refused.structuredContent.kind === "bad-request", JSON.stringify(refused));
  await assert.rejects(call("no_such_tool"), /no_such_tool/);
  said("error");

  const canonical = data(await call("codebase_search", { query: "resolveApiKey", max_results: 2 }));
  const other = await call("semantic_search", { query: "resolveApiKey", top_k: 2 });
  // Scores differ a little: what was shown in a session weighs in its next question.
  assert.deepEqual(data(other).results.map(key), canonical.results.map(key));
  assert.equal(other._meta["spyhop/deprecated"].replacement, "codebase_search");
  said("alias");
} finally {
  await client.close();
  fs.rmSync(folder, { recursive: true, force: true });
}
