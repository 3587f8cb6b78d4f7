// The token, links that work once, two tabs, and a server that ends and comes back.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ask, enter, launch, open, ready, Server, settled, stage } from "./support.mjs";

let on;

before(async () => {
    on = await stage("access");
});
after(() => on.end());

test("without the link, with a wrong code and with a used one there is no page", async () => {
    const page = await open(await (await launch()).newContext());
    assert.equal((await page.goto(on.server.base)).status(), 401);
    assert.equal((await page.goto(`${on.server.base}/enter?code=wrong`)).status(), 401);
    assert.equal((await page.request.get(`${on.server.base}/api/v1/search?q=clock`)).status(), 401);
    const entered = await enter(on.server);
    await ready(entered, on.server);
    assert.equal((await page.goto(on.server.link)).status(), 401);
    assert.equal(await page.locator("#query").count(), 0);
    await page.context().addCookies([{ name: `spyhop-${on.server.port}`, value: "wrong", url: on.server.base }]);
    assert.equal((await page.goto(on.server.base)).status(), 401);
    await page.context().close();
    await entered.context().close();
});

test("two tabs search at the same time", async () => {
    const server = await Server.start({ roots: [on.root], index: on.index, args: on.args });
    try {
        const first = await enter(server);
        await ready(first, server);
        const second = await open(first.context());
        await second.goto(server.base);
        await Promise.all([ask(first, "wind the clock"), ask(second, "@seconds_of")]);
        assert.match(await first.locator(".list").innerText(), /Clock/);
        assert.match(await second.locator(".list").innerText(), /seconds_of/);
        assert.deepEqual([...first.trouble.errors, ...second.trouble.errors], []);
        await first.context().close();
    } finally {
        await server.stop();
    }
});

test("a server that ends is told, and the page goes on when the server is back with its token", async () => {
    const token = join(on.folder, "token");
    const start = (port) => Server.start({ roots: [on.root], index: on.index, args: [...on.args, "--token-file", token], port });
    let server = await start(0);
    const page = await enter(server);
    await ready(page, server);
    await ask(page, "clock");
    const { port } = server;
    await server.stop();
    await page.locator("#query").pressSequentially(" wind");
    await page.waitForSelector(".banner.bad");
    server = await start(port);
    await page.waitForSelector(".banner.bad", { state: "detached", timeout: 30_000 });
    await settled(page);
    assert.match(await page.locator(".list").innerText(), /Clock/);
    await page.reload();
    await settled(page);
    await server.stop();
    // Another token: the cookie is worth nothing, and the page says what to do.
    server = await Server.start({ roots: [on.root], index: on.index, args: on.args, port });
    await page.waitForSelector(".refused", { timeout: 30_000 });
    assert.match(await page.locator(".refused").innerText(), /needs its link/);
    await server.stop();
    assert.deepEqual(page.trouble.errors, []);
    await page.context().close();
});
