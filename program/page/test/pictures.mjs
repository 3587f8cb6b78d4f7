// Pictures of every view, in both themes and three widths: `npm run pictures` writes docs/pictures/page/*.webp.
// Takes this repository as the tree. The whole folder stays below 2 MB.
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { closeBrowser, enter, git, launch, makeRuns, makeTree, ready, REPOSITORY, scratch, Server, spyhop } from "./support.mjs";

const { values } = parseArgs({ options: { only: { type: "string" }, png: { type: "string" }, out: { type: "string" } } });
const OUT = values.out ?? join(REPOSITORY, "docs/pictures/page");
const LIMIT = 2_000_000;
const SIZES = [[360, 740, 0.38], [1280, 860, 0.37], [2560, 1440, 0.2]];

const VIEWS = [
    ["start", "/", ".folder-list li"],
    ["search", "/?q=wait+for+the+holder+of+a+lock&mode=ranked", ".row.hit", async (page) => {
        await page.keyboard.press("j");
        await page.waitForTimeout(900);
    }],
    ["exact", "/?q=%2Ffn+%5Cw%2B_lock%2F+lang:rust", ".row.line .c-keyword"],
    ["file", "/?v=file&path=src/base/store/lock.rs&line=104&q=lock", ".row.line.on", hover],
    ["diff", "/?v=file&path=app/clock.py&diff=other", ".row.line.added"],
    ["graph", "/?v=graph&target=src/base/store/lock.rs%23Lock.acquire", ".drawing a.box"],
    ["imports", "/?v=graph&tab=imports&folder=src/base", ".arc-box li"],
    ["impact", "/?v=graph&tab=impact", ".graph-grid .uses li"],
    ["health", "/?v=health", ".note-list li"],
    ["eval", "/?v=eval&a=short&b=whole&query=page/tree/page-1", ".now .waterfall li"],
    ["weights", "/?v=eval&tab=weights&q=wait+for+the+holder+of+a+lock", ".reranked .hits li"],
];

async function hover(page) {
    const box = await page.evaluate(() => {
        for (const code of document.querySelectorAll(".row.line code")) {
            const at = code.textContent.indexOf("read_holder(");
            if (at < 0) continue;
            const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                const from = node.textContent.indexOf("read_holder");
                if (from < 0) continue;
                const range = document.createRange();
                range.setStart(node, from);
                range.setEnd(node, from + 8);
                const rect = range.getBoundingClientRect();
                return { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 };
            }
        }
        return null;
    });
    if (!box || box.x > page.viewportSize().width - 10) return;
    await page.mouse.move(box.x - 2, box.y);
    await page.mouse.move(box.x, box.y);
    await page.waitForSelector(".card .uses li", { timeout: 5000 }).catch(() => {});
    await page.waitForTimeout(300);
}

/** A picture as WebP, which Chromium itself writes. */
async function webp(converter, png, quality) {
    const url = await converter.evaluate(async ([data, wanted]) => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const canvas = document.createElement("canvas");
        canvas.width = image.width;
        canvas.height = image.height;
        canvas.getContext("2d").drawImage(image, 0, 0);
        return canvas.toDataURL("image/webp", wanted);
    }, [png.toString("base64"), quality]);
    return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

const folder = scratch("pictures");
const root = makeTree(folder, ["src", "docs", "tests/ranking", "tests/cli", "editors", "benches", "fuzz", "packaging"]);
const index = join(folder, "index");
spyhop(["index", root, "--index-dir", index]);
const note = (kind, link, text, ...more) => spyhop(["memory", "add", "--root", root, "--index-dir", index, "--kind", kind, "--link", link, ...more, "--", text]);
note("failure", "src/base/store/lock.rs", "A killed holder leaves its note behind; the next one reads it before the lock is taken");
note("explanation", "app/clock.py#seconds_of", "Minutes are sixty seconds, also on the day of a leap second");
git(root, "checkout", "-q", "-b", "earlier", "HEAD");
git(root, "checkout", "-q", "main");
mkdirSync(join(folder, "library"));
const server = await Server.start({ roots: [root], index, args: ["--library", join(folder, "library"), "--eval", makeRuns(folder, root, index)] });
try {
    const first = await enter(server);
    await ready(first, server);
    for (const q of ["lock", "read a record", "@acquire", "/fn open/", "store.rs", "checksum"]) await first.request.get(`${server.base}/api/v1/search?q=${encodeURIComponent(q)}`);
    const storageState = await first.context().storageState();
    const converter = await (await launch()).newPage();
    mkdirSync(OUT, { recursive: true });
    let total = 0;
    for (const colorScheme of ["light", "dark"]) {
        for (const [width, height, quality] of SIZES) {
            const page = await enter(server, { width, height, colorScheme, storageState });
            for (const [name, address, selector, act] of VIEWS) {
                if (values.only && !values.only.split(",").includes(name)) continue;
                await page.mouse.move(1, 1);
                await page.goto(server.base + address);
                await page.waitForSelector(selector, { state: "attached", timeout: 20_000 }).catch(() => console.error(`${name}: ${selector} is not there`));
                await page.waitForTimeout(500);
                await act?.(page);
                const png = await page.screenshot();
                if (values.png) writeFileSync(join(values.png, `${name}-${colorScheme}-${width}.png`), png);
                const file = join(OUT, `${name}-${colorScheme}-${width}.webp`);
                writeFileSync(file, await webp(converter, png, quality));
                total += statSync(file).size;
            }
            await page.context().close();
        }
    }
    console.log(`${OUT}: ${total} bytes of at most ${LIMIT}`);
    if (total > LIMIT) process.exitCode = 1;
} finally {
    await server.stop();
    await closeBrowser();
    rmSync(folder, { recursive: true, force: true });
}
