// Searching: typing, modes, chips, errors, completion, keyboard, addresses.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ask, enter, ready, settled, stage, visit } from "./support.mjs";

let on;
let page;

before(async () => {
    on = await stage("search");
    page = await enter(on.server);
    await ready(page, on.server);
});
after(async () => {
    await on.end();
    assert.deepEqual(page.trouble, { errors: [], dialogs: [], outside: [] });
});

const text = (selector) => page.locator(selector).first().innerText();

test("results come while typing, and each key updates the address without a step of history", async () => {
    await visit(page, "/");
    const before = await page.evaluate(() => history.length);
    await ask(page, "wind the clock");
    assert.match(await text(".row.file"), /clock\.py/);
    await page.waitForFunction(() => location.search === "?q=wind+the+clock");
    assert.ok((await page.evaluate(() => history.length)) <= before + 1);
    assert.equal(await page.title(), "wind the clock · Spyhop");
});

test("the reasons of a hit add up to its score, and each tells its sentence", async () => {
    await visit(page, "/?q=wind+the+clock&mode=ranked");
    await settled(page);
    const shares = await page.locator(".inspector .waterfall li:not(.sum) .share").allInnerTexts();
    const sum = shares.reduce((total, share) => total + Number(share.replace("\u2212", "-")), 0);
    const score = Number(await text(".inspector .waterfall .sum .share"));
    assert.ok(Math.abs(sum - score) < 0.06 * shares.length, `${sum} is not ${score}`);
    await page.locator(".inspector .waterfall li").first().focus();
    assert.match(await text(".inspector .sentence"), /\w+/);
    assert.equal(await text(".inspector .sentence"), (await page.locator(".inspector .waterfall li").first().locator(".sr").innerText()));
});

test("the mode follows the form of the query, and a key changes it", async () => {
    await visit(page, "/");
    for (const [query, mode] of [["/def \\w+\\(/", "exact"], ["@seconds_of", "symbols"], ["app/clock.py", "files"], ["wind the clock", "ranked"]]) {
        await ask(page, query);
        assert.equal((await text(".modes .resolved")).toLowerCase(), mode, query);
    }
    await page.keyboard.press("Alt+3");
    await settled(page);
    assert.match(page.url(), /mode=exact/);
    assert.equal(await text(".modes [aria-pressed='true']"), "Exact");
    await page.keyboard.press("Alt+1");
});

test("filters are chips, and a chip takes its filter out of the query", async () => {
    await ask(page, "seconds lang:python path:app/ -server");
    const chips = await page.locator(".chip").allInnerTexts();
    assert.deepEqual(chips.map((chip) => chip.replace(/\s+/g, " ").replace(" ×", "")), ["lang python", "path app/", "not server"]);
    assert.doesNotMatch(await page.locator(".list").innerText(), /server\.py/);
    await page.locator(".chip button").last().click();
    await settled(page);
    assert.equal(await page.locator("#query").inputValue(), "seconds lang:python path:app/");
    assert.match(await page.locator(".list").innerText(), /server\.py/);
});

test("a wrong value is marked under its word, and a choice mends it", async () => {
    await ask(page, "clock lang:pyton ").catch(() => {});
    await page.waitForSelector("#query-error");
    assert.match(await text("#query-error"), /pyton/);
    assert.equal(await text(".under .wrong"), "lang:pyton");
    assert.equal(await page.locator("#query").getAttribute("aria-invalid"), "true");
    await page.locator("#query-error .choices button", { hasText: "python" }).first().click();
    await settled(page);
    assert.match(await page.locator("#query").inputValue(), /^clock lang:python/);
    assert.equal(await page.locator("#query-error").count(), 0);
});

test("values of filters are completed", async () => {
    await page.locator("#query").fill("");
    await page.locator("#query").pressSequentially("clock lang:pyt");
    await page.waitForSelector("#offers:not([hidden]) [role='option']");
    assert.match(await text("#offers"), /python/);
    await page.keyboard.press("Tab");
    await settled(page);
    assert.equal(await page.locator("#query").inputValue(), "clock lang:python ");
});

test("a completion that fails leaves no older offers over the error", async () => {
    await page.locator("#query").fill("");
    await page.locator("#query").pressSequentially("clock lang:pyt");
    await page.waitForSelector("#offers:not([hidden]) [role='option']");
    await page.route("**/api/v1/complete?**", (route) => route.fulfill({ status: 503, body: "{}" }));
    await page.locator("#query").pressSequentially("on2 ");
    await page.waitForSelector("#query-error");
    await page.unroute("**/api/v1/complete?**");
});

test("results of an older query are dimmed, and the box keeps what was typed", async () => {
    await ask(page, "clock");
    await page.route("**/api/v1/search?**", async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 600));
        // The route may have ended meanwhile.
        await route.continue().catch(() => {});
    });
    await page.locator("#query").pressSequentially(" wind");
    await page.waitForSelector(".results.stale");
    assert.equal(await page.locator("#query").inputValue(), "clock wind");
    await page.unroute("**/api/v1/search?**");
    await settled(page);
    assert.equal(await page.locator(".results.stale").count(), 0);
});

test("a session with the keyboard alone: ask, choose, reasons, more lines, open, back", async () => {
    await page.locator("#query").blur();
    await visit(page, "/");
    await page.keyboard.press("/");
    await page.keyboard.type("seconds of minutes");
    await settled(page);
    await page.keyboard.press("Enter");
    // Enter gives the focus to the first hit; until then a letter goes into the query.
    await page.waitForFunction(() => document.activeElement.id.startsWith("hit-"));
    const first = await page.evaluate(() => document.activeElement.id);
    await page.keyboard.press("j");
    await page.waitForFunction((old) => document.activeElement.id !== old && document.activeElement.id.startsWith("hit-"), first);
    await page.keyboard.press("k");
    const lines = await page.locator(".row.line.on").count();
    await page.keyboard.press("e");
    await page.waitForFunction((old) => document.querySelectorAll(".row.line.on").length > old, lines);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".file-view .row.line");
    assert.match(page.url(), /v=file/);
    await page.goBack();
    await page.waitForSelector(".row.hit");
    assert.equal(await page.locator("#query").inputValue(), "seconds of minutes");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    assert.match(await text("dialog"), /next, previous hit/);
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog", { state: "detached" });
});

test("an address shows its state again after a reload, and back and forward work", async () => {
    await page.goto(`${on.server.base}/?q=clock+lang:python&mode=exact`);
    await settled(page);
    assert.equal(await page.locator("#query").inputValue(), "clock lang:python");
    assert.equal(await text(".modes [aria-pressed='true']"), "Exact");
    await page.reload();
    await settled(page);
    assert.match(await text(".status"), /lines? in/);
    await page.locator("a", { hasText: "Health" }).first().click();
    await page.waitForSelector(".health");
    await page.goBack();
    await settled(page);
    assert.match(await text(".status"), /lines? in/);
    await page.goForward();
    await page.waitForSelector(".health");
});

test("going back shows the list where it was left, with its hit", async () => {
    await visit(page, "/?q=lock&mode=exact");
    await settled(page);
    await page.locator(".list").focus();
    for (let i = 0; i < 60; i++) await page.keyboard.press("j");
    await page.waitForFunction(() => document.activeElement.id === "hit-59" && document.querySelector(".list").scrollTop > 200);
    const before = await page.evaluate(() => [document.querySelector(".list").scrollTop, document.activeElement.id]);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".file-view .row.line.on");
    await page.goBack();
    await page.waitForSelector(".row.line.on");
    await page.waitForFunction((top) => Math.abs(document.querySelector(".list").scrollTop - top) < 2, before[0]);
    assert.equal(await page.locator(".row.line.on").first().getAttribute("id"), before[1]);
});

test("an exact line shows the lines around it, and the start page asks about the tree itself", async () => {
    await visit(page, "/?q=%2Fdef+wind%2F");
    await page.waitForFunction(() => /def wind/.test(document.querySelector(".preview a.on")?.textContent ?? ""));
    assert.match(await page.locator(".preview").innerText(), /Adds minutes|return str/);
    await visit(page, "/");
    await page.waitForSelector(".examples:not(.recent) a");
    const examples = await page.locator(".examples:not(.recent) a").allInnerTexts();
    const name = examples.find((one) => one.startsWith("@")).slice(1);
    await visit(page, `/?q=%40${name}`);
    await page.waitForSelector(".row.entry");
});

test("why another file is not among the answers", async () => {
    await visit(page, "/?q=wind+the+clock&mode=ranked");
    await settled(page);
    await page.locator("#why-not-file").fill("app/server.py");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".verdict");
    assert.match(await text(".verdict"), /app\/server\.py|rank|answer/i);
});

test("why not takes the filters of the query, also those that exclude", async () => {
    await visit(page, "/?q=wind+the+clock+-server+-glob:*.md&mode=ranked");
    await settled(page);
    const asked = page.waitForRequest((request) => request.url().includes("/why-not?"));
    await page.locator("#why-not-file").fill("docs/http.md");
    await page.keyboard.press("Enter");
    assert.equal(new URL((await asked).url()).searchParams.get("q"), "wind the clock -server -glob:*.md");
    await page.waitForSelector(".verdict");
    assert.match(await text(".verdict"), /exclude|filter/i);
});

test("a word that only looks like a filter is text, and a wrong filter stays a chip", async () => {
    await ask(page, "\\lang:python path::Path wind");
    assert.equal(await page.locator(".chip").count(), 0);
    await page.locator("#query").fill("wind lang:python kind:fnn");
    await page.waitForSelector("#query-error");
    await page.waitForFunction(() => document.querySelectorAll(".chip").length === 2);
    await page.locator(".chip button").nth(1).click();
    await settled(page);
    assert.equal(await page.locator("#query").inputValue(), "wind lang:python");
});

test("files by name come before the results, in a line that is there anyway", async () => {
    await visit(page, "/?q=wind+the+clock&mode=ranked");
    await settled(page);
    const top = await page.evaluate(() => document.querySelector(".list").getBoundingClientRect().top);
    await page.route("**/api/v1/search?q=clock&*", async (route) => {
        const response = await route.fetch();
        const body = await response.text();
        assert.match(body, /event: partial/);
        // Only what comes before the results.
        await route.fulfill({ status: 200, headers: { "content-type": "text/event-stream" }, body: body.slice(0, body.indexOf("event: results")) });
    });
    await visit(page, "/?q=clock");
    await page.waitForSelector(".early a");
    assert.match(await text(".early"), /clock\.py/);
    assert.equal(await page.evaluate(() => document.querySelector(".list").getBoundingClientRect().top), top);
    await page.waitForSelector(".results.stale");
    await page.unroute("**/api/v1/search?q=clock&*");
    // The whole stream arrives as one batch.
    await page.route("**/api/v1/search?q=clock&mode=ranked*", async (route) => {
        const response = await route.fetch();
        await route.fulfill({ status: 200, headers: { "content-type": "text/event-stream" }, body: await response.text() });
    });
    await visit(page, "/?q=clock&mode=ranked");
    await settled(page);
    await page.locator(".early a").first().click();
    await page.unroute("**/api/v1/search?q=clock&mode=ranked*");
    await page.waitForSelector(".file-view .row.line");
});

test("the tree and the view of a state stay in its links", async () => {
    await page.goto(`${on.server.base}/?v=file&path=app/server.py&view=other&root=tree&q=wind`);
    await page.waitForSelector(".row.line");
    const links = await page.evaluate(() => [...document.querySelectorAll(".crumbs a, .views a")].map((link) => link.getAttribute("href")));
    for (const link of links) assert.match(link, /view=other/, link);
    await page.goto(`${on.server.base}/?v=graph&target=app/clock.py%23seconds_of&view=other`);
    await page.waitForSelector(".tree a.place");
    const places = await page.evaluate(() => [...document.querySelectorAll(".graph a")].map((link) => link.getAttribute("href") ?? link.href.baseVal));
    for (const link of places) assert.match(link, /view=other/, link);
});

test("matches are marked, and code has colours", async () => {
    await visit(page, "/?q=seconds_of&mode=exact");
    await settled(page);
    await page.waitForSelector(".row.line .c-keyword");
    const marks = await page.locator(".row.line mark").allInnerTexts();
    assert.ok(marks.length > 0 && marks.every((mark) => /seconds_of/i.test(mark)), marks.join());
});

test("excerpts of ranked hits get the colours of their syntax trees at rest", async () => {
    await visit(page, "/?q=seconds_of&mode=ranked");
    await settled(page);
    // The lexer of lists knows no functions.
    await page.waitForSelector(".row.line .c-function");
    const names = await page.locator(".row.line .c-function").allInnerTexts();
    assert.ok(names.some((name) => name.includes("seconds")), names.join());
    assert.ok((await page.locator(".row.line mark").count()) > 0);
});

test("nothing found says so, and offers other ways", async () => {
    await visit(page, "/?q=zzqqxxyyww&mode=exact");
    await settled(page);
    assert.match(await text(".empty"), /Nothing found/);
    await page.locator(".ways button").first().click();
    await settled(page);
    assert.match(page.url(), /mode=ranked/);
});
