#!/usr/bin/env node
// Runs the binary of this platform, with the arguments, the streams and the exit code of this process.
"use strict";

const { spawnSync } = require("node:child_process");
const { existsSync } = require("node:fs");
const { constants } = require("node:os");
const path = require("node:path");

const platform = `${process.platform}-${process.arch}`;
const name = process.platform === "win32" ? "spyhop.exe" : "spyhop";
const binary = path.join(__dirname, platform, name);
if (!existsSync(binary)) {
  console.error(`spyhop: this package has no binary for ${platform}; build one with: cargo install spyhop`);
  process.exit(2);
}
const run = spawnSync(binary, process.argv.slice(2), { stdio: "inherit" });
if (run.error) {
  console.error(`spyhop: '${binary}' cannot be run: ${run.error.message}`);
  process.exit(2);
}
process.exit(run.signal ? 128 + constants.signals[run.signal] : run.status);
