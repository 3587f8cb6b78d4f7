// The official TypeScript client with the real server over HTTP.
//
//     npm install --no-package-lock --prefix tests/clients/typescript
//     node tests/clients/typescript/over_http.mjs target/debug/spyhop
//
// The same steps as over_http.py: with the token; without, with another one, from a foreign page, under a foreign name;
// twenty clients at once; the end.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import Ajv2020 from "ajv/dist/2020.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ACTIVE, FILES, data, make, said } from "./common.mjs";

const CLIENTS = 20;

const program = path.resolve(process.argv[2]);
const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "spyhop-over-http-")));
const tree = path.join(folder, "tree");
fs.mkdirSync(tree);
make(tree);

/** A client that sends these headers with everything, connected. */
async function connect(url, headers, options = {}) {
  const client = new Client({ name: "over-http", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers }, ...options }));
  assert.equal(client.getServerVersion()?.name, "spyhop");
  return client;
}

const call = (client, name, args = {}, options = {}) =>
  client.callTool({ name, arguments: args }, undefined, { timeout: 120_000, ...options });

/** The client gets nowhere, and what it was answered has this status. */
async function refused(url, headers, status, step, request = fetch) {
  const statuses = [];
  const noting = async (...what) => {
    const response = await request(...what);
    statuses.push(response.status);
    return response;
  };
  await assert.rejects(connect(url, headers, { fetch: noting }));
  assert.deepEqual([...new Set(statuses)], [status]);
  said(`${step}: ${status}`);
}

/** A fetch that can send another Host than the address has, which the built-in one does not. */
const underAnotherName = (url, { method, headers, body }) =>
  new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers: Object.fromEntries(headers) }, (answer) => {
      answer.resume();
      resolve(new Response(null, { status: answer.statusCode }));
    });
    request.on("error", reject);
    request.end(body);
  });

async function withToken(url, headers) {
  const client = await connect(url, headers);
  let parts = [];
  let first;
  for (let turn = 0; turn < 20; turn++) {
    parts = [];
    const onprogress = ({ progress }) => parts.push(progress);
    first = data(await call(client, "codebase_search", { query: "where is the api key resolved" }, { onprogress }));
    if (first.state !== "indexing") break;
  }
  assert.deepEqual(parts, [...new Set(parts)].sort((a, b) => a - b));
  assert.ok(parts.length > 0, "nothing was told of the progress");
  assert.equal(first.results[0].path, "auth.js");
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), ACTIVE);
  const lines = data(await call(client, "grep_files", { pattern: "function resolve\\w+" }));
  assert.deepEqual(lines.results.map((row) => `${row.path}:${row.line}`), ["auth.js:2"]);
  for (const outside of ["/etc", "../index", "~"]) {
    const answer = await call(client, "codebase_search", { query: "a", path: outside });
    assert.ok(answer.isError && answer.structuredContent.kind === "bad-request", JSON.stringify(answer));
  }
  await client.close();
  said(`with the token (${parts.length} notifications of progress)`);
}

/** Every tool that only reads answers as its published schema says. */
async function schemas(url, headers) {
  // The session has moved away from its sources; `.ci/clients` runs it in the folder of the repository.
  const read = (name) => fs.readFileSync(name, "utf8");
  const document = JSON.parse(read("docs/tool-schemas.json"));
  const calls = JSON.parse(read("tests/clients/calls.json").replaceAll("SYMBOL", "resolveApiKey").replaceAll("FILE", "auth.js"));
  const client = await connect(url, headers);
  const ajv = new Ajv2020({ strict: false });
  for (const [tool, args] of Object.entries(calls)) {
    const result = data(await call(client, tool, args));
    const validate = ajv.compile({ ...document, ...document.tools[tool] });
    assert.ok(validate(result), `${tool}: ${ajv.errorsText(validate.errors)}`);
  }
  await client.close();
  said(`${Object.keys(calls).length} results by their schemas`);
}

/** Two sessions at once: what one touched and was sent is nothing to the other. A session that was ended begins anew. */
async function apart(url, headers) {
  const question = { query: "where is the api key resolved", limit: 1, dedupe: true };
  const [one, other] = [await connect(url, headers), await connect(url, headers)];
  await call(one, "touch", { files: ["auth.js"] });
  const ask = async (client) => data(await call(client, "codebase_search", question)).results[0];
  const hits = [await ask(one), await ask(one)];
  assert.ok(hits[0].reasons.some((reason) => reason.signal === "session"), JSON.stringify(hits));
  assert.ok(hits[0].snippet && hits[1].snippet === null && hits[1].sent_before.call === 1, JSON.stringify(hits));
  const hit = await ask(other);
  assert.ok(hit.snippet && hit.reasons.every((reason) => reason.signal !== "session"), JSON.stringify(hit));
  await one.transport.terminateSession();
  await assert.rejects(new Client({ name: "late", version: "1" }).connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: { ...headers, "Mcp-Session-Id": "gone" } } }),
  ), /session of Mcp-Session-Id has ended/);
  const again = await connect(url, headers);
  assert.ok((await ask(again)).snippet);
  for (const client of [one, other, again]) await client.close();
  said("separate sessions");
}

/** Clients that ask at once, each for another thing; no answer is that of another client. */
async function many(url, headers) {
  const ask = async (_, number) => {
    const client = await connect(url, headers);
    for (let module = number; module < FILES; module += Math.floor(FILES / 3)) {
      const expected = `part_${module % 10}/module_${module}.js`;
      const found = data(await call(client, "grep_files", { pattern: `function step_${module}_7\\(` }));
      assert.deepEqual(found.results.map((row) => row.path), [expected]);
      const hits = data(await call(client, "codebase_search", { query: `step_${module}_7`, limit: 1 }));
      assert.equal(hits.results[0].path, expected);
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: CLIENTS }, ask));
  said(`${CLIENTS} clients at once`);
}

const tokenFile = path.join(folder, "token");
// One thread, so that there is progress to tell when the first client asks.
const server = spawn(program, ["mcp", "--structured", "full", "--threads", "1", tree, "--http", "127.0.0.1:0", "--token-file", tokenFile], {
  env: { ...process.env, SPYHOP_INDEX_DIR: path.join(folder, "index") },
  stdio: ["ignore", "inherit", "pipe"],
});
const ended = once(server, "exit");
try {
  const [greeting] = await once(readline.createInterface({ input: server.stderr }), "line");
  const url = new URL(greeting.match(/http:\/\/\S+/)[0]);
  const token = fs.readFileSync(tokenFile, "utf8").trim();
  const bearer = { Authorization: `Bearer ${token}` };
  await withToken(url, bearer);
  await refused(url, {}, 401, "without a token");
  await refused(url, { Authorization: `Bearer ${token.slice(0, -1)}x` }, 401, "with another token");
  await refused(url, { ...bearer, Origin: "http://evil.example" }, 403, "from a foreign page");
  await refused(url, { ...bearer, Host: "evil.example" }, 403, "under a foreign name", underAnotherName);
  await schemas(url, bearer);
  await apart(url, bearer);
  await many(url, bearer);
  server.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
  said("end");
} finally {
  server.kill("SIGKILL");
  fs.rmSync(folder, { recursive: true, force: true });
}
