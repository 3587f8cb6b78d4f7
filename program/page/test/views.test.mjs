// The file view, the graph view, health and evaluation.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { enter, ready, spyhop, stage, visit } from "./support.mjs";

let on;
let page;

before(async () => {
    on = await stage("views", { eval: true });
    spyhop(["add", "--library", join(on.folder, "library"), "--name", "clocks", join(on.root, "app")]);
    spyhop(["memory", "add", "--root", on.root, "--index-dir", on.index, "--kind", "explanation", "--link", "app/clock.py", "Minutes are sixty seconds"]);
    page = await enter(on.server, { width: 1500 });
    await ready(page, on.server);
});
after(async () => {
    await on.end();
    assert.deepEqual(page.trouble, { errors: [], dialogs: [], outside: [] });
});

const text = (selector) => page.locator(selector).first().innerText();

/** The place of a word in a line of the file view. */
async function wordBox(line, word) {
    return page.evaluate(([number, wanted]) => {
        const code = document.querySelector(`[data-line="${number}"] code`);
        const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const at = node.textContent.indexOf(wanted);
            if (at >= 0) {
                const range = document.createRange();
                range.setStart(node, at);
                range.setEnd(node, at + wanted.length);
                const box = range.getBoundingClientRect();
                return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
            }
        }
        return null;
    }, [line, word]);
}

test("a file has its lines, colours, outline and breadcrumbs", async () => {
    await page.goto(`${on.server.base}/?v=file&path=app/clock.py&line=16`);
    await page.waitForSelector(".row.line.on");
    assert.equal(await text(".row.line.on .no"), "16");
    assert.match(await text(".outline"), /seconds_of[\s\S]*Clock[\s\S]*wind/);
    assert.deepEqual(await page.locator(".crumbs li").allInnerTexts().then((list) => list.slice(-2)), ["app", "clock.py"]);
    assert.ok((await page.locator(".row.line .c-keyword").count()) > 0);
});

test("a name tells its definition on hover, and a click jumps there", async () => {
    await page.goto(`${on.server.base}/?v=file&path=app/server.py&line=12`);
    await page.waitForSelector("[data-line='18'] code");
    const box = await wordBox(18, "seconds_of");
    await page.mouse.move(box.x - 3, box.y);
    await page.mouse.move(box.x, box.y);
    await page.waitForSelector(".card .def");
    assert.match(await text(".card"), /clock\.py:6/);
    await page.waitForFunction(() => /\d uses?/.test(document.querySelector(".card footer")?.textContent ?? ""));
    await page.mouse.click(box.x, box.y);
    await page.waitForFunction(() => location.search.includes("path=app/clock.py"));
    await page.waitForSelector(".row.line.on");
    assert.equal(await text(".row.line.on .no"), "6");
    await page.goBack();
    await page.waitForFunction(() => location.search.includes("path=app/server.py"));
});

test("names of a line are reached by keys", async () => {
    await page.goto(`${on.server.base}/?v=file&path=app/server.py&line=18`);
    await page.waitForSelector(".row.line.on");
    for (let i = 0; i < 3; i++) await page.keyboard.press("l");
    await page.waitForSelector(".card .def");
    assert.match(await text(".card header"), /seconds_of/);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => location.search.includes("path=app/clock.py"));
});

test("the difference between a branch and the worktree", async () => {
    await page.goto(`${on.server.base}/?v=file&path=app/clock.py&diff=other`);
    await page.waitForSelector(".row.line.added");
    assert.match(await page.locator(".row.line.added").allInnerTexts().then((list) => list.join("\n")), /return 60 \* minutes/);
    assert.match(await page.locator(".row.line.removed").allInnerTexts().then((list) => list.join("\n")), /minutes \* SECONDS/);
});

test("a file is shown as another branch has it", async () => {
    await page.goto(`${on.server.base}/?v=file&path=app/clock.py`);
    await page.waitForSelector(".row.line");
    await page.locator(".view-pick").focus();
    await page.waitForSelector(".view-pick option:text-is('other')", { state: "attached" });
    await page.locator(".view-pick").selectOption("other");
    await page.waitForFunction(() => /minutes \* SECONDS/.test(document.querySelector(".code-list")?.textContent ?? ""));
    assert.match(page.url(), /view=other/);
});

test("a folder lists its entries", async () => {
    await page.goto(`${on.server.base}/?v=file&path=app&dir=1`);
    await page.waitForSelector(".folder-view td");
    assert.match(await text(".folder-view"), /clock\.py[\s\S]*server\.py/);
    await page.locator(".folder-view a", { hasText: "clock.py" }).click();
    await page.waitForSelector(".row.line");
});

test("the tree beside a file opens folders, follows keys, and hides by a key", async () => {
    await page.goto(`${on.server.base}/?v=file&path=app/clock.py`);
    await page.waitForSelector(".file-tree [aria-current='page']");
    assert.equal(await text(".file-tree [aria-current='page']"), "clock.py");
    await page.locator(".file-tree a", { hasText: "src" }).first().click();
    await page.waitForSelector(".file-tree a[aria-level='2']:text-is('base')");
    await page.locator(".file-tree [aria-current='page']").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /path=app\/(?!clock)/.test(location.search));
    await page.locator(".code-list, .empty").first().focus();
    await page.keyboard.press("b");
    await page.waitForSelector(".file-tree", { state: "detached" });
    await page.keyboard.press("b");
    await page.waitForSelector(".file-tree");
});

test("all uses of a name stand beside the text, by file, with the counts of the mentions", async () => {
    await page.goto(`${on.server.base}/?v=file&path=app/server.py&line=18`);
    await page.waitForSelector(".row.line.on");
    for (let i = 0; i < 3; i++) await page.keyboard.press("l");
    await page.waitForSelector(".card .def");
    await page.keyboard.press("r");
    await page.waitForSelector(".uses-pane li");
    assert.match(await text(".uses-pane h2"), /seconds_of/);
    assert.match(await text(".uses-pane"), /\d+ mentions in the text of the tree: \d+ resolved/);
    assert.match(await text(".uses-pane"), /app\/clock\.py[\s\S]*self\.left = seconds_of\(minutes\)/);
    assert.match(page.url(), /uses=18:\d+/);
    await page.locator(".uses-pane li a", { hasText: "self.left = " }).click();
    await page.waitForFunction(() => location.search.includes("path=app/clock.py"));
    assert.doesNotMatch(page.url(), /uses=/);
});

test("callers and callees, as a tree by keys and as a drawing", async () => {
    await page.goto(`${on.server.base}/?v=graph&target=app/clock.py%23seconds_of`);
    await page.waitForSelector(".tree [role='treeitem']");
    assert.match(await text(".tree"), /wind/);
    assert.ok((await page.locator(".drawing a.box").count()) >= 2);
    const item = page.locator(".tree [role='treeitem']", { hasText: /wind/ }).first();
    await item.focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector(".tree [role='treeitem'][aria-expanded='true']");
    assert.match(await page.locator(".drawing .edge-link title").first().textContent(), /\.py:\d+, \d+ %\n.*seconds_of/);
    await page.locator(".drawing a.box").first().click();
    await page.waitForFunction(() => !location.search.includes("seconds_of"));
});

test("imports of a folder, routes, and the impact of the working diff", async () => {
    await page.goto(`${on.server.base}/?v=graph&tab=imports&folder=src/base`);
    await page.waitForSelector(".arc-box li");
    assert.ok((await page.locator(".arc").count()) > 0);
    await page.goto(`${on.server.base}/?v=graph&tab=entries`);
    await page.waitForSelector(".table-box td");
    const routes = () => page.locator(".table-box").first().locator("td code").allInnerTexts().then((list) => list.filter((one) => one.startsWith("/")));
    const sorted = [...await routes()].sort();
    assert.equal(sorted.length, 2);
    await page.locator("th button", { hasText: "Route" }).click();
    assert.deepEqual(await routes(), sorted);
    await page.locator("th button", { hasText: "Route" }).click();
    assert.deepEqual(await routes(), sorted.reverse());
    await page.goto(`${on.server.base}/?v=graph&tab=impact`);
    await page.waitForSelector(".graph-grid .uses li");
    assert.match(await text(".graph-grid"), /seconds_of/);
    assert.match(await text(".graph-grid .uses .where"), /\.py:\d+/);
});

test("health shows coverage, reasons, views, notes and latencies", async () => {
    await page.goto(`${on.server.base}/?v=health`);
    await page.waitForSelector(".tile");
    assert.match(await text(".reasons-list"), /binary/);
    await page.locator(".reasons-list button", { hasText: "binary" }).click();
    await page.waitForSelector(".skipped li");
    assert.match(await text(".skipped"), /app\/data\.bin/);
    assert.match(await text(".health-grid"), /main/);
    await page.waitForSelector(".note-list li");
    assert.match(await text(".note-list"), /Minutes are sixty seconds/);
    await page.waitForSelector(".histogram");
    await page.locator(".tile button").first().click();
    await page.waitForFunction(() => location.search.includes("folder="));
    await page.goBack();
});

test("the record of a source of the library, with what the import left out", async () => {
    await page.waitForSelector(".health-grid .twist");
    await page.locator(".health-grid .twist").first().click();
    await page.waitForSelector(".record dl div");
    assert.match(await text(".record"), /Imports\s+1: added/);
    assert.match(await text(".record"), /Left out by the import: \d+ entr/);
});

test("two runs side by side, and a query with both lists", async () => {
    await page.goto(`${on.server.base}/?v=eval&a=short&b=whole`);
    await page.waitForSelector(".query-row");
    assert.equal(await page.locator(".query-row").count(), 8);
    assert.match(await text(".kinds"), /names[\s\S]*words/);
    await page.locator(".query-row").first().click();
    await page.waitForSelector(".lists .hits li");
    assert.equal(await page.locator(".lists ol").count(), 2);
    await page.waitForSelector(".now .waterfall li");
});

test("a weight that is moved ranks again, and a profile is saved", async () => {
    await page.goto(`${on.server.base}/?v=eval&tab=weights&q=wind+the+clock`);
    await page.waitForSelector(".reranked .hits li");
    const slider = page.locator(".sliders input[type='range']").first();
    const asked = page.waitForRequest((request) => request.url().endsWith("/eval/rerank") && !request.postData().includes('"weights":{}'));
    await slider.focus();
    for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
    await asked;
    await page.waitForSelector(".sliders .moved");
    await page.locator(".save input[type='text']").fill("moved");
    await page.locator(".save button").click();
    await page.waitForSelector(".toast.on");
    assert.match(await text(".toast"), /moved\.toml/);
});

test("a place that does not exist says so", async () => {
    await visit(page, "/?v=file&path=no/such.py");
    await page.waitForSelector(".empty");
    assert.match(await text(".empty"), /No such file/);
    await visit(page, "/?v=graph&target=nosuchsymbolatall");
    await page.waitForSelector(".empty, .definitions li");
    assert.match(await text(".graph"), /No/);
});
