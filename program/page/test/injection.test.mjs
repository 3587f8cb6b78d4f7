// 300 file names, headings, branch names, notes and queries made to break out: no script runs, no request leaves loopback,
// and no byte of them becomes markup.
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { BRANCHES, FILES, HEADINGS, NOTES, QUERIES } from "./payloads.mjs";
import { closeBrowser, enter, git, ready, scratch, Server, spyhop, visit } from "./support.mjs";

let folder;
let server;
let page;
let refused = [];

before(async () => {
    folder = scratch("injection");
    const root = join(folder, `<img src=x onerror=window.__ran=1>`);
    mkdirSync(root);
    for (const { path, text } of FILES) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), content(path, text));
    }
    writeFileSync(join(root, "headings.md"), HEADINGS.map((heading) => `# ${heading}\n\nclock ${heading}\n`).join("\n"));
    writeFileSync(join(root, "bidi.py"), "def bidi_marker():\n    return 'a\u202etxt\u2066b'  # bidi_marker\n");
    writeFileSync(join(root, "evil_name\u202efdp.txt"), "evil_name\n");
    git(root, "init", "-q", "-b", "main");
    git(root, "add", "-A");
    git(root, "commit", "-q", "-m", "<script>window.__ran=1</script>");
    for (const branch of BRANCHES) git(root, "branch", branch);
    const index = join(folder, "index");
    spyhop(["index", root, "--index-dir", index]);
    for (const note of NOTES) spyhop(["memory", "add", "--root", root, "--index-dir", index, "--author", "<img src=x onerror=window.__ran=1>", "--link", "headings.md", "--", note]);
    mkdirSync(join(folder, "library"));
    server = await Server.start({ roots: [root], index, args: ["--library", join(folder, "library")] });
    page = await enter(server);
    page.on("console", (message) => {
        if (/Content.Security.Policy/i.test(message.text())) refused.push(message.text());
    });
    await ready(page, server);
});
after(async () => {
    await server.stop();
    await closeBrowser();
    rmSync(folder, { recursive: true, force: true });
});

function content(path, text) {
    const line = text.replace(/\n/g, " ");
    if (path.endsWith(".md")) return `# ${line}\n\nclock ${line}\n`;
    if (path.endsWith(".js")) return `// clock ${line}\nexport function clock() { return ${JSON.stringify(text)}; }\n`;
    if (path.endsWith(".py")) return `def clock():\n    """${line.replace(/["\\]/g, "'")}"""\n    return ${JSON.stringify(text)}\n`;
    return `clock ${line}\n`;
}

/** What the page holds that only markup from a tree could have made. */
async function intruders() {
    return page.evaluate(() => {
        const found = [];
        for (const el of document.querySelectorAll("script, iframe, object, embed, img, base, style, template, video, audio, math, details, noscript, use, animate, link, meta")) {
            const isOwn = (el.tagName === "SCRIPT" && el.getAttribute("src") === "/assets/app.js")
                || (el.tagName === "LINK" && (el.getAttribute("href") === "/assets/app.css" || el.rel === "icon"))
                || (el.tagName === "META" && !el.hasAttribute("http-equiv"));
            if (!isOwn) found.push(el.outerHTML.slice(0, 120));
        }
        for (const el of document.querySelectorAll("*")) {
            for (const { name, value } of el.attributes) {
                if (name.startsWith("on") || name === "srcdoc") found.push(`${name}=${value.slice(0, 80)}`);
            }
        }
        for (const link of document.links) {
            const url = new URL(link.href, location.href);
            if (url.origin !== location.origin || url.pathname !== "/") found.push(link.href.slice(0, 120));
        }
        if (globalThis.__ran) found.push("a script ran");
        return found;
    });
}

async function look(address, selector) {
    await visit(page, address);
    await page.waitForSelector(selector, { state: "attached" });
    await page.waitForFunction(() => !document.querySelector(".busy.on") && (!document.querySelector(".results.stale") || document.querySelector("#query-error, .status.failed")));
    const found = await intruders();
    assert.deepEqual(found, [], address);
}

const RESULT = ".list .row, .empty, .status.failed, #query-error";
const encoded = encodeURIComponent;

test("there are 300 of them", () => {
    assert.equal(FILES.length + HEADINGS.length + BRANCHES.length + NOTES.length + QUERIES.length, 300);
});

test("file names and contents, in lists, excerpts and files", async () => {
    await look("/?q=clock&mode=exact", RESULT);
    for (let i = 0; i < 12; i++) {
        await page.evaluate(() => document.querySelector(".list").scrollBy(0, 600));
        await page.waitForTimeout(40);
        assert.deepEqual(await intruders(), []);
    }
    await look("/?q=clock&mode=ranked", RESULT);
    await look("/?mode=files", RESULT);
    for (const { path } of FILES) {
        await look(`/?v=file&path=${encoded(path)}`, ".row.line, .empty");
        assert.equal(await page.locator(".file-view .row.line").count() > 0, true, path);
    }
    await look("/?v=file&path=names&dir=1", ".folder-view td");
});

test("characters that change the direction of text are shown as their escapes", async () => {
    for (const address of ["/?q=bidi_marker&mode=exact", "/?q=bidi_marker&mode=ranked", "/?v=file&path=bidi.py"]) {
        await look(address, ".row.line .hidden-char");
        const shown = await page.locator(".row.line .hidden-char").first();
        assert.equal(await shown.getAttribute("data-code"), "\\u202E", address);
        assert.equal(await shown.getAttribute("title"), "U+202E right-to-left override");
        assert.doesNotMatch(await page.evaluate(() => document.body.textContent), /[\u202a-\u202e\u2066-\u2069]/);
    }
    await look("/?q=evil_name&mode=files", ".row.entry .hidden-char");
});

test("headings as definitions, in lists, outline and graph", async () => {
    await look("/?q=window&mode=symbols", RESULT);
    await look("/?v=file&path=headings.md&line=20", ".row.line.on");
    for (const heading of HEADINGS.slice(0, 12)) {
        await look(`/?v=graph&target=${encoded(`headings.md#${heading}`)}`, ".graph .empty, .definitions li");
    }
    await look("/?v=graph&tab=imports", ".graph section");
});

test("branch names, notes and the name of the tree, in the difference and in health", async () => {
    for (const branch of BRANCHES.slice(0, 6)) {
        await look(`/?v=file&path=headings.md&diff=${encoded(branch)}`, ".diff .empty, .diff .failed");
    }
    await look("/?v=health", ".note-list li");
    assert.equal(await page.locator(".note-list li").count(), 50);
    await look("/", ".home .folder-list li");
});

test("queries, in the address and typed", async () => {
    for (const query of QUERIES) {
        for (const mode of ["auto", "ranked", "exact", "files", "symbols"]) {
            await look(`/?q=${encoded(query)}&mode=${mode}`, RESULT);
        }
    }
    for (const query of QUERIES.slice(0, 12)) {
        await page.locator("#query").fill("");
        await page.locator("#query").pressSequentially(query.slice(0, 40));
        await page.waitForTimeout(60);
        assert.deepEqual(await intruders(), [], query);
    }
    await page.goto(`${server.base}/?q=${encoded(QUERIES[0])}`);
    await page.waitForSelector(RESULT);
    assert.deepEqual(await intruders(), []);
});

test("no script ran, no request left loopback, and the policy had nothing to refuse", () => {
    assert.deepEqual(page.trouble, { errors: [], dialogs: [], outside: [] });
    assert.deepEqual(refused, []);
});
