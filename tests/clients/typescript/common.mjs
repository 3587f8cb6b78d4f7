// What the sessions of the TypeScript client share: the tree that they ask about, and how they tell.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";

export const FILES = 250;
export const ACTIVE = ["codebase_search", "file_search", "grep_files", "index_status", "tool_search"];
export const said = (step) => console.log(`ok  ${step}`);

export function make(tree) {
  for (let number = 0; number < FILES; number++) {
    const folder = path.join(tree, `part_${number % 10}`);
    fs.mkdirSync(folder, { recursive: true });
    let body = "";
    for (let step = 0; step < 80; step++) {
      body += `/** Turns value ${step} of part ${number}. */\nexport function step_${number}_${step}(value) {\n`;
      body += `  return value + ${step} * ${number};\n}\n\n`;
    }
    fs.writeFileSync(path.join(folder, `module_${number}.js`), body);
  }
  const auth = "/** Resolves the secret key of a provider. */\nexport function resolveApiKey(provider) {\n";
  fs.writeFileSync(path.join(tree, "auth.js"), `${auth}  return "secret of " + provider;\n}\n`);
}

export function data(result) {
  assert.ok(!result.isError, result.content[0].text);
  return result.structuredContent;
}
