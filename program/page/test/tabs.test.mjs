// Ten tabs of one browser: all load, all learn of a new index, and one stream serves them.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Server, enter, open, ready, settled, stage } from "./support.mjs";

const TABS = 10;
const WORD = "zqtabs";
// A server with the token of the one before knows its cookies.
const env = { SPYHOP_MCP_TOKEN: "a-token-of-the-tests" };

let on;
let pages;
let streams = [];

before(async () => {
    on = await stage("tabs", { env });
    const first = await enter(on.server);
    await ready(first, on.server);
    await first.close();
    const context = first.context();
    context.on("request", (request) => request.url().endsWith("/api/v1/events") && streams.push(request));
    for (const event of ["requestfailed", "requestfinished"]) {
        context.on(event, (request) => (streams = streams.filter((one) => one !== request)));
    }
    // A tab that cannot load fails soon: only the browser's own limit holds it back.
    context.setDefaultTimeout(20_000);
    pages = [];
    for (let tab = 0; tab < TABS; tab++) {
        const page = await open(context);
        await page.goto(`${on.server.base}/?q=${WORD}&mode=exact`);
        await settled(page);
        pages.push(page);
    }
});
after(async () => {
    for (const page of pages ?? []) assert.deepEqual(page.trouble, { errors: [], dialogs: [], outside: [] });
    await on.server.stop();
    await on.end();
});

/** Waits until each tab has found, without being asked again, what is in the tree now. */
async function learns(round) {
    writeFileSync(join(on.root, "app/tabs.py"), `${WORD} = ${round}  # round ${round}\n`);
    const shows = (page) => page.waitForFunction((text) => document.querySelector(".list")?.textContent.includes(text), `round ${round}`);
    const told = await Promise.allSettled(pages.map(shows));
    const lists = await Promise.all(pages.map((page) => page.locator("main").innerText()));
    assert.deepEqual(lists.filter((_, tab) => told[tab].status === "rejected"), []);
}

test("all tabs load and learn of a new index by one stream", async () => {
    assert.equal(pages.length, TABS);
    await learns(1);
    await learns(2);
    assert.equal(streams.length, 1);
});

test("when the tab with the stream is closed or leaves, another one takes over", async () => {
    const holder = () => streams.at(-1).frame().page();
    const closed = holder();
    pages = pages.filter((page) => page !== closed);
    await closed.close();
    await learns(3);
    const left = holder();
    assert.notEqual(left, closed);
    pages = pages.filter((page) => page !== left);
    await left.goto("about:blank");
    await learns(4);
    assert.equal(pages.length, TABS - 2);
    // The page that was left asks again when it comes back.
    await left.goBack();
    pages.push(left);
    await learns(5);
});

test("each tab says that the server is gone, and that it is back", async () => {
    const { port } = on.server;
    await on.server.stop();
    await Promise.all(pages.map((page) => page.waitForSelector(".banner.bad")));
    on.server = await Server.start({ roots: [on.root], index: on.index, args: on.args, env, port });
    await Promise.all(pages.map((page) => page.waitForSelector(".banner.bad", { state: "detached" })));
    await learns(6);
});
