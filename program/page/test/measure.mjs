// The figures of the page over a tree: `node test/measure.mjs TREE [--index-dir DIR] [--queries N]`. Prints a table.
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { closeBrowser, enter, open, ready, scratch, Server, settled } from "./support.mjs";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { "index-dir": { type: "string" }, queries: { type: "string", default: "12" }, pattern: { type: "string", default: "err" } } });
const root = positionals[0];
if (!root) {
    console.error("usage: node test/measure.mjs TREE [--index-dir DIR] [--queries N] [--pattern REGEX]");
    process.exit(2);
}

const QUERIES = [
    "where are pods evicted", "retry with backoff", "parse the config file", "lock the cache", "read the token", "watch for changes", "close the connection",
    "node is not ready", "schedule a pod", "validate the name", "write a checkpoint", "list all services", "compare versions", "rotate the log", "sort by name",
];

const percentile = (list, p) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * p))];
const rows = [];

/** Time from each key press to the picture with the results of the query. */
async function keys(page) {
    const client = await page.context().newCDPSession(page);
    await client.send("Performance.enable", { timeDomain: "threadTicks" });
    const metrics = async () => Object.fromEntries((await client.send("Performance.getMetrics")).metrics.map((one) => [one.name, one.value]));
    const before = await metrics();
    await page.evaluate(() => {
        globalThis.__times = [];
        globalThis.__server = [];
        let pressed = 0;
        addEventListener("keydown", () => (pressed = performance.now()), { capture: true });
        let seen = "";
        const look = () => {
            const now = document.querySelector(".results:not(.stale)")?.dataset.query ?? "";
            const asked = now.split("\n")[1] ?? "";
            if (now !== seen && pressed > 0 && asked === document.getElementById("query").value.trim()) {
                seen = now;
                const from = pressed;
                requestAnimationFrame(() => setTimeout(() => {
                    globalThis.__times.push(performance.now() - from);
                    globalThis.__answer();
                    globalThis.__server.push(Number(document.querySelector(".results").dataset.ms ?? NaN));
                }));
            }
        };
        new MutationObserver(look).observe(document.getElementById("app"), { subtree: true, childList: true, attributes: true, attributeFilter: ["data-query", "class"] });
    });
    for (const query of QUERIES.slice(0, Number(values.queries))) {
        await page.locator("#query").fill("");
        for (const key of query) {
            if (key === " ") {
                await page.keyboard.type(key);
                continue;
            }
            // A poll would take time from the page.
            await page.evaluate(() => {
                globalThis.__answered = new Promise((resolve) => {
                    globalThis.__answer = resolve;
                    setTimeout(resolve, 10_000);
                });
            });
            await page.keyboard.type(key);
            await page.evaluate(() => globalThis.__answered);
        }
    }
    const after = await metrics();
    const [times, server] = await page.evaluate(() => [globalThis.__times, globalThis.__server.filter((ms) => !Number.isNaN(ms))]);
    return { times, server, work: ((after.TaskDuration - before.TaskDuration) * 1000) / times.length };
}

/** Frames a second while the list is scrolled through, and the memory of the tab. */
async function frames(page) {
    await page.goto(`${server.base}/?q=${encodeURIComponent(values.pattern)}&mode=exact`);
    await settled(page);
    return page.evaluate(async () => {
        const list = document.querySelector(".list");
        for (let i = 0; i < 200 && Number(document.querySelector(".results").dataset.rows) < 10_000; i++) {
            list.scrollTop = list.scrollHeight;
            await new Promise((resolve) => setTimeout(resolve, 100));
        }
        list.scrollTop = 0;
        await new Promise((resolve) => setTimeout(resolve, 300));
        let frames = 0;
        let longest = 0;
        const begin = performance.now();
        let last = begin;
        while (performance.now() - begin < 4000) {
            list.scrollTop += 160;
            await new Promise((resolve) => requestAnimationFrame(resolve));
            const now = performance.now();
            longest = Math.max(longest, now - last);
            last = now;
            frames++;
        }
        const seconds = (performance.now() - begin) / 1000;
        const memory = globalThis.crossOriginIsolated ? (await performance.measureUserAgentSpecificMemory()).bytes : performance.memory.usedJSHeapSize;
        return { rows: Number(document.querySelector(".results").dataset.rows), fps: frames / seconds, longest, memory };
    });
}

/** Bytes of a first load with an empty cache, and the time until keys are answered. */
async function load(state) {
    const context = await (await (await import("./support.mjs")).launch()).newContext({ storageState: state });
    const page = await open(context);
    const client = await context.newCDPSession(page);
    await client.send("Network.enable");
    let bytes = 0;
    client.on("Network.loadingFinished", (event) => (bytes += event.encodedDataLength));
    await page.goto(server.base);
    await page.waitForSelector("#query");
    await page.waitForTimeout(500);
    const times = await page.evaluate(() => ({
        paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN,
        interactive: performance.getEntriesByName("interactive")[0]?.startTime ?? NaN,
    }));
    await context.close();
    return { bytes, ...times };
}

const folder = scratch("measure");
const server = await Server.start({ roots: [root], index: values["index-dir"] });
try {
    const page = await enter(server);
    await ready(page, server, 600_000);
    const state = await page.context().storageState();
    const loads = [];
    for (let i = 0; i < 7; i++) loads.push(await load(state));
    const middle = (key) => percentile(loads.map((one) => one[key]), 0.5);
    rows.push(["first load, bytes", middle("bytes"), "150000"], ["first paint, ms", middle("paint").toFixed(0), "100"], ["interactive, ms", middle("interactive").toFixed(0), "200"]);
    await page.goto(`${server.base}/?q=warm`);
    await settled(page);
    const { times, server: own, work } = await keys(page);
    rows.push([`key to results, p50 of ${times.length}, ms`, percentile(times, 0.5).toFixed(0), "50"], ["key to results, p95, ms", percentile(times, 0.95).toFixed(0), "120"],
        ["of it in the server, p50, ms", percentile(own, 0.5).toFixed(1), ""], ["processor time of the page for a key, ms", work.toFixed(1), ""]);
    const scrolled = await frames(page);
    rows.push([`frames a second over ${scrolled.rows} rows`, scrolled.fps.toFixed(1), "55"], ["longest frame, ms", scrolled.longest.toFixed(0), ""], ["memory of the tab, MB", (scrolled.memory / 1e6).toFixed(1), "150"]);
    for (const [name, value, bar] of rows) console.log(`${name.padEnd(44)} ${String(value).padStart(9)}  bar ${bar}`);
} finally {
    await server.stop();
    await closeBrowser();
    rmSync(folder, { recursive: true, force: true });
}
