// Limits that hold on any machine; `measure.mjs` gives the figures over a large tree.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ask, enter, git, ready, settled, spyhop, stage } from "./support.mjs";

let on;
let page;

before(async () => {
    on = await stage("speed");
    writeFileSync(join(on.root, "app/many.txt"), Array.from({ length: 12_000 }, (_, i) => `needle number ${i}\n`).join(""));
    git(on.root, "add", "-A");
    spyhop(["index", on.root, "--index-dir", on.index]);
    page = await enter(on.server);
    await ready(page, on.server);
});
after(() => on.end());

test("the first load has at most 150 kB", { skip: process.env.PAGE_ASSETS ? "the page of a folder is not compressed" : false }, async () => {
    const client = await page.context().newCDPSession(page);
    await client.send("Network.enable");
    await client.send("Network.clearBrowserCache");
    let bytes = 0;
    client.on("Network.loadingFinished", (event) => (bytes += event.encodedDataLength));
    await page.goto(on.server.base);
    await page.waitForSelector(".folder-list li");
    assert.ok(bytes > 10_000 && bytes <= 150_000, `${bytes} bytes`);
});

test("10,000 lines are drawn as few rows, and the last one is reached", async () => {
    await ask(page, "/needle number/");
    assert.match(await page.locator(".status").innerText(), /12,000 lines/);
    for (let i = 0; i < 80; i++) {
        const rows = await page.evaluate(() => {
            const list = document.querySelector(".list");
            list.scrollTop = list.scrollHeight;
            return Number(document.querySelector(".results").dataset.rows);
        });
        if (rows >= 10_000) break;
        await page.waitForTimeout(100);
    }
    assert.ok(Number(await page.locator(".results").getAttribute("data-rows")) >= 10_000);
    assert.ok((await page.locator(".list .row").count()) < 150);
    const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
    assert.ok(nodes < 2500, `${nodes} elements`);
});

test("what is under the cursor stays while the index changes", async () => {
    await ask(page, "wind the clock");
    const box = await page.locator(".row.hit").first().boundingBox();
    await page.mouse.move(box.x + 40, box.y + 10);
    const before = await page.locator(".list").innerText();
    writeFileSync(join(on.root, "app/another.py"), "def wind_the_clock_again():\n    return 'wind the clock'\n");
    await page.waitForSelector(".status .news", { timeout: 60_000 });
    assert.equal(await page.locator(".list").innerText(), before);
    await page.keyboard.press("Escape");
    await page.locator(".status .news").click();
    await settled(page);
    assert.match(await page.locator(".list").innerText(), /wind_the_clock_again/);
});
