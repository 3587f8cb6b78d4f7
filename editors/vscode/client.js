// A client of the Language Server Protocol over the pipes of a child process: frames, requests, cancellation.
//
// The server's answers are converted by extension.js. This file knows nothing of VS Code, so that it runs under node.

"use strict";

const { spawn } = require("node:child_process");

class Client {
  // Starts `program` with `args`. `options.log` gets the lines of standard error, `options.notified` the notifications,
  // `options.ended` is called when the process has ended.
  constructor(program, args, options) {
    this.options = options;
    this.next = 1;
    this.pending = new Map();
    this.input = Buffer.alloc(0);
    this.isStopping = false;
    this.child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], cwd: options.cwd });
    this.child.stdout.on("data", (data) => this.received(data));
    this.child.stderr.on("data", (data) => options.log(String(data).trimEnd()));
    this.child.stdin.on("error", () => {});
    this.child.on("error", (error) => this.ended(error));
    this.child.on("exit", (code) => this.ended(new Error(`spyhop lsp ended with code ${code}`)));
  }

  ended(error) {
    if (this.failure) return;
    this.failure = error;
    for (const { reject } of this.pending.values()) reject(error);
    this.pending.clear();
    if (!this.isStopping) this.options.ended(error);
  }

  received(data) {
    this.input = Buffer.concat([this.input, data]);
    for (;;) {
      const head = this.input.indexOf("\r\n\r\n");
      if (head < 0) return;
      const length = Number(/content-length: *(\d+)/i.exec(this.input.toString("ascii", 0, head))?.[1]);
      if (!Number.isSafeInteger(length)) return this.child.kill();
      const end = head + 4 + length;
      if (this.input.length < end) return;
      const body = this.input.toString("utf8", head + 4, end);
      this.input = this.input.subarray(end);
      this.handle(JSON.parse(body));
    }
  }

  handle(message) {
    if (message.method !== undefined) {
      // A request of the server, such as to show progress, is granted.
      if (message.id !== undefined) this.send({ jsonrpc: "2.0", id: message.id, result: null });
      else this.options.notified(message.method, message.params);
      return;
    }
    const waiting = this.pending.get(message.id);
    if (!waiting) return;
    this.pending.delete(message.id);
    if (message.error) waiting.reject(Object.assign(new Error(message.error.message), { code: message.error.code }));
    else waiting.resolve(message.result);
  }

  send(message) {
    const body = Buffer.from(JSON.stringify(message), "utf8");
    this.child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.child.stdin.write(body);
  }

  notify(method, params) {
    if (!this.failure) this.send({ jsonrpc: "2.0", method, params });
  }

  // The result of a request. `token` is a cancellation token of VS Code.
  request(method, params, token) {
    if (this.failure) return Promise.reject(this.failure);
    const id = this.next++;
    const answer = new Promise((resolve, reject) => this.pending.set(id, { resolve, reject }));
    this.send({ jsonrpc: "2.0", id, method, params });
    const listening = token?.onCancellationRequested(() => this.notify("$/cancelRequest", { id }));
    return answer.finally(() => listening?.dispose());
  }

  async start(params) {
    const result = await this.request("initialize", params);
    this.notify("initialized", {});
    return result;
  }

  async stop() {
    this.isStopping = true;
    if (this.failure) return;
    const exited = new Promise((resolve) => this.child.once("exit", resolve));
    await this.request("shutdown", null).catch(() => {});
    this.notify("exit", null);
    const timer = setTimeout(() => this.child.kill(), 2000);
    await exited;
    clearTimeout(timer);
  }
}

module.exports = { Client };
