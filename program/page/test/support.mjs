// What all tests of the page share: a tree from this repository, the real server, and Chromium.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));
export const SPYHOP = process.env.SPYHOP ?? join(REPOSITORY, "target/debug/spyhop");
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const FOLDERS = ["src/base", "src/grep", "src/search/query", "src/index/tokenize", "docs", "tests/ranking/corpus"];

export function scratch(name) {
    return mkdtempSync(join(tmpdir(), `spyhop-page-${name}-`));
}

function git(root, ...args) {
    return execFileSync("git", ["-c", "user.name=Page", "-c", "user.email=page@example.invalid", "-c", "commit.gpgsign=false", ...args], { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** A git repository with a part of this one: a branch `other` with a change, and a change that is not committed. */
export function makeTree(folder, folders = FOLDERS) {
    const root = join(folder, "tree");
    mkdirSync(root, { recursive: true });
    const archive = execFileSync("git", ["archive", "HEAD", ...folders.filter((one) => existsSync(join(REPOSITORY, one)))], { cwd: REPOSITORY, maxBuffer: 1 << 28 });
    execFileSync("tar", ["-x"], { cwd: root, input: archive });
    mkdirSync(join(root, "app"));
    writeFileSync(join(root, "app/server.py"), SERVER);
    writeFileSync(join(root, "app/data.bin"), Buffer.from([0, 1, 2, 3, 0, 255]));
    writeFileSync(join(root, "app/clock.py"), CLOCK);
    git(root, "init", "-q", "-b", "main");
    git(root, "add", "-A");
    git(root, "commit", "-q", "-m", "The tree");
    git(root, "checkout", "-q", "-b", "other");
    writeFileSync(join(root, "app/clock.py"), CLOCK.replace("return 60 * minutes", "return minutes * SECONDS"));
    git(root, "commit", "-q", "-a", "-m", "Another way");
    git(root, "checkout", "-q", "main");
    writeFileSync(join(root, "app/clock.py"), CLOCK.replace("    return 60 * minutes", "    # not committed\n    return 60 * minutes"));
    return root;
}

export { git };

const CLOCK = `"""Times."""

SECONDS = 60


def seconds_of(minutes):
    """The seconds of some minutes."""
    return 60 * minutes


class Clock:
    """A clock that is wound by hand."""

    def __init__(self, minutes):
        self.left = seconds_of(minutes)

    def wind(self, minutes):
        """Adds minutes."""
        self.left += seconds_of(minutes)

    def tick(self):
        self.left -= 1
        return self.left
`;

const SERVER = `"""A server with two routes."""
from flask import Flask

from app.clock import Clock, seconds_of

app = Flask(__name__)


@app.route("/wind/<int:minutes>", methods=["POST"])
def wind(minutes):
    clock = Clock(minutes)
    clock.wind(minutes)
    return str(clock.tick())


@app.route("/seconds/<int:minutes>")
def seconds(minutes):
    return str(seconds_of(minutes))
`;

/** Runs the program and gives what it prints. */
export function spyhop(args, options = {}) {
    return execFileSync(SPYHOP, args, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"], ...options });
}

/** Two runs in the form of \`spyhop-eval run --out\`, from the answers of the program. */
export function makeRuns(folder, root, index) {
    const runs = join(folder, "runs");
    mkdirSync(runs, { recursive: true });
    const questions = [
        ["where is the lock taken", "src/base/store/lock.rs"], ["read a checksummed record", "src/base/store/envelope.rs"], ["seconds in minutes", "app/clock.py"],
        ["wind the clock", "app/clock.py"], ["routes of the server", "app/server.py"], ["narrow the files of a pattern", "src/grep/narrow.rs"],
        ["what a query is about", "src/search/query/mod.rs"], ["format version", "src/base/store/format.rs"],
    ];
    // One run asks the whole question, the other one its first two words.
    for (const [name, most] of [["short", 2], ["whole", 99]]) {
        const lines = [{ row: "header", format: 1, version: "0.0.0", profile: "built-in", sets: ["page"], k: 10 }, { row: "tree", set: "page", tree: "tree", files: 1, commit: null }];
        questions.forEach(([query, path], i) => {
            const reply = JSON.parse(spyhop(["search", "--json", "--root", root, "--index-dir", index, "-n", "10", "--", query.split(" ").slice(0, most).join(" ")]));
            const hits = reply.results.map((hit) => ({ path: hit.path, lines: { first: hit.line, last: hit.end_line }, score: hit.score, targets: hit.path === path ? [0] : [] }));
            lines.push({ row: "query", set: "page", tree: "tree", id: `page-${i + 1}`, kind: i % 2 ? "names" : "words", query, targets: [{ path, lines: null, grade: 1 }], ms: 1.5, hits });
        });
        writeFileSync(join(runs, `${name}.jsonl`), `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
    }
    return runs;
}

/** A running server. */
export class Server {
    static async start({ roots, index, args = [], env = {}, port = 0 }) {
        const server = new Server();
        const given = [...(index ? ["--index-dir", index] : []), "--port", String(port), ...args, ...roots];
        server.process = spawn(SPYHOP, ["serve", ...given], { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, ...env } });
        server.link = await new Promise((resolve, reject) => {
            let text = "";
            server.process.stderr.on("data", (data) => {
                text += data;
                const found = /open (http:\/\/\S+)/.exec(text);
                if (found) resolve(found[1]);
            });
            server.process.on("exit", (code) => reject(new Error(`spyhop serve ended with ${code}: ${text}`)));
        });
        server.base = new URL(server.link).origin;
        server.port = Number(new URL(server.link).port);
        return server;
    }

    async stop() {
        if (this.process.exitCode !== null || this.process.signalCode !== null) return;
        const ended = new Promise((resolve) => this.process.once("exit", resolve));
        this.process.kill("SIGTERM");
        await ended;
    }
}

let browser;

export async function launch() {
    browser ??= await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
    return browser;
}

export async function closeBrowser() {
    await browser?.close();
    browser = undefined;
}

/** A page that has entered by the link, with what went wrong in it: errors, dialogs, and requests that leave loopback. */
export async function enter(server, { width = 1280, height = 900, colorScheme = "light", storageState, reducedMotion = "reduce" } = {}) {
    const context = await (await launch()).newContext({ viewport: { width, height }, colorScheme, reducedMotion, storageState });
    const page = await open(context);
    await page.goto(storageState ? server.base : server.link);
    await page.waitForSelector("#query");
    return page;
}

/** A new tab that records what went wrong. With PAGE_ASSETS, a folder, the page is the one in it, with the server's headers. */
export async function open(context) {
    const page = await context.newPage();
    if (process.env.PAGE_ASSETS) {
        await page.route(/\/assets\/app\.(js|css)$/, async (route) => {
            const response = await route.fetch();
            const headers = { ...response.headers() };
            delete headers["content-encoding"];
            await route.fulfill({ status: response.status(), headers, body: readFileSync(join(process.env.PAGE_ASSETS, new URL(route.request().url()).pathname.split("/").at(-1))) });
        });
    }
    const trouble = { errors: [], dialogs: [], outside: [] };
    page.on("pageerror", (error) => trouble.errors.push(error.message));
    page.on("dialog", (dialog) => {
        trouble.dialogs.push(dialog.message());
        void dialog.dismiss();
    });
    page.on("request", (request) => {
        const url = new URL(request.url());
        if (!["127.0.0.1", "localhost", "[::1]"].includes(url.hostname) && url.protocol.startsWith("http")) trouble.outside.push(request.url());
    });
    page.trouble = trouble;
    return page;
}

/** Waits until the index of the server answers. */
export async function ready(page, server, timeout = 180_000) {
    const end = Date.now() + timeout;
    for (;;) {
        const reply = await page.request.get(`${server.base}/api/v1/status`);
        if (reply.ok() && (await reply.json()).state !== "none") {
            const found = await page.request.get(`${server.base}/api/v1/search?q=clock&mode=ranked`);
            if (found.ok() && !(await found.json()).reply.snapshot.building) return;
        }
        if (Date.now() > end) throw new Error(`the index was not ready: ${reply.status()} ${await reply.text()}`);
        await new Promise((resolve) => setTimeout(resolve, 150));
    }
}

/** Goes to a state of the page without loading it again. */
export async function visit(page, address) {
    await page.evaluate((to) => {
        history.pushState({}, "", to);
        dispatchEvent(new PopStateEvent("popstate"));
    }, address);
}

/** Types a query as a person does. */
export async function ask(page, text) {
    await page.locator("#query").fill("");
    await page.locator("#query").pressSequentially(text);
    await settled(page);
}

/** Waits until results belong to the query, and nothing is asked. */
export async function settled(page) {
    await page.waitForFunction(() => {
        const busy = document.querySelector(".busy.on");
        const shown = document.querySelector(".results")?.dataset.query.split("\n")[1];
        const stale = shown !== undefined && shown !== document.getElementById("query").value.trim();
        const list = document.querySelector(".list .row, .empty, .home, .status.failed");
        return !busy && !stale && list;
    });
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The violations that axe-core finds, in a line each. */
export async function violations(page) {
    await page.evaluate(AXE);
    const found = await page.evaluate(async () => (await globalThis.axe.run(document)).violations.map((one) => `${one.id} (${one.nodes.length}): ${one.nodes.slice(0, 3).map((node) => `${node.target.join(" ")} ${node.any.map((check) => check.message).join("; ")}`).join(" | ")}`));
    return found;
}

/** A tree, its index and a server, removed at the end. */
export async function stage(name, options = {}) {
    const folder = scratch(name);
    const root = makeTree(folder);
    const index = join(folder, "index");
    spyhop(["index", root, "--index-dir", index]);
    const args = [...(options.args ?? [])];
    if (options.eval) args.push("--eval", makeRuns(folder, root, index));
    const library = join(folder, "library");
    mkdirSync(library);
    args.push("--library", library);
    const server = await Server.start({ roots: [root], index, args, env: options.env });
    return {
        folder, root, index, server, args,
        async end() {
            await server.stop();
            await closeBrowser();
            rmSync(folder, { recursive: true, force: true });
        },
    };
}
