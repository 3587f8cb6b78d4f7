// Runs the tests of the page one file after the other, so that they share the processors with nothing of their own. axe-core runs
// only with SPYHOP_AXE, because its checks of every view take longer than all other tests.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const files = readdirSync(here).filter((name) => name.endsWith(".test.mjs") && (process.env.SPYHOP_AXE || name !== "axe.test.mjs")).sort();
const { status } = spawnSync(process.execPath, ["--test", "--test-concurrency=1", "--test-timeout=600000", ...files], { cwd: here, stdio: "inherit" });
process.exit(status ?? 1);
