// Builds the page into program/src/serve/assets. Equal sources give equal bytes: versions are pinned, and nothing of the
// machine (paths, times) enters the output.
import { build } from "esbuild";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = fileURLToPath(new URL(".", import.meta.url));
const out = fileURLToPath(new URL("../src/serve/assets/", import.meta.url));
const LIMIT = 120_000;

mkdirSync(out, { recursive: true });
const shared = { absWorkingDir: here, bundle: true, minify: true, target: ["es2022"], charset: "utf8", legalComments: "none" };
await build({ ...shared, entryPoints: ["src/main.tsx"], outfile: `${out}app.js`, format: "esm", jsx: "automatic", jsxImportSource: "preact" });
await build({ ...shared, entryPoints: ["src/style/app.css"], outfile: `${out}app.css` });
copyFileSync(`${here}src/index.html`, `${out}index.html`);

let total = 0;
for (const name of ["index.html", "app.js", "app.css"]) {
    const bytes = readFileSync(`${out}${name}`);
    const packed = gzipSync(bytes, { level: 9 }).length;
    total += packed;
    console.log(`${name.padEnd(12)} ${String(bytes.length).padStart(7)} bytes, gzipped ${String(packed).padStart(6)}`);
}
console.log(`in all gzipped ${total} of at most ${LIMIT}`);
if (total > LIMIT) {
    console.error(`the page has ${total} bytes gzipped; the limit is ${LIMIT}`);
    process.exit(1);
}
