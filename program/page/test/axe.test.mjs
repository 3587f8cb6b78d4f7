// axe-core over all views, both themes, a wide and a narrow window: no violation.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { enter, ready, spyhop, stage, violations } from "./support.mjs";

let on;
let state;

before(async () => {
    on = await stage("axe", { eval: true });
    spyhop(["memory", "add", "--root", on.root, "--index-dir", on.index, "--kind", "failure", "--link", "app/clock.py", "The clock was wrong"]);
    const page = await enter(on.server);
    await ready(page, on.server);
    state = await page.context().storageState();
});
after(() => on.end());

const VIEWS = [
    ["start", "/", ".home .folder-list li"],
    ["ranked", "/?q=wind+the+clock&mode=ranked", ".row.hit"],
    ["exact", "/?q=seconds&mode=exact", ".row.line .c-keyword"],
    ["files", "/?q=clock&mode=files", ".row.entry"],
    ["symbols", "/?q=clock&mode=symbols", ".row.entry"],
    ["nothing", "/?q=zzqqxxyyww&mode=exact", ".empty"],
    ["error", "/?q=clock+lang:pyton", "#query-error"],
    ["file", "/?v=file&path=app/clock.py&line=20&q=clock", ".row.line.on"],
    ["folder", "/?v=file&path=app&dir=1", ".folder-view td"],
    ["diff", "/?v=file&path=app/clock.py&diff=other", ".row.line.added"],
    ["missing file", "/?v=file&path=no/such", ".empty"],
    ["graph", "/?v=graph&target=app/clock.py%23seconds_of", ".tree [role='treeitem']"],
    ["graph start", "/?v=graph", ".empty"],
    ["imports", "/?v=graph&tab=imports&folder=src/base", ".arc-box li"],
    ["entries", "/?v=graph&tab=entries", ".table-box td"],
    ["impact", "/?v=graph&tab=impact", ".graph-grid .uses li"],
    ["health", "/?v=health", ".note-list li"],
    ["runs", "/?v=eval&a=short&b=whole&query=page/tree/page-1", ".lists .hits li"],
    ["weights", "/?v=eval&tab=weights&q=wind+the+clock", ".reranked .hits li"],
];

for (const colorScheme of ["light", "dark"]) {
    for (const width of [1600, 360]) {
        test(`no violation in ${colorScheme}, ${width} pixels`, async () => {
            const page = await enter(on.server, { width, colorScheme, storageState: state });
            const found = [];
            for (const [name, address, selector] of VIEWS) {
                await page.goto(on.server.base + address);
                await page.waitForSelector(selector, { state: "attached" });
                await page.waitForTimeout(150);
                found.push(...(await violations(page)).map((one) => `${name}: ${one}`));
                const wider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
                if (wider) found.push(`${name}: the page is wider than the window`);
            }
            await page.goto(`${on.server.base}/?q=clock`);
            await page.waitForSelector(".row.hit");
            await page.keyboard.press("?");
            await page.waitForSelector("dialog[open]");
            found.push(...(await violations(page)).map((one) => `keys: ${one}`));
            await page.keyboard.press("Escape");
            await page.locator("#query").fill("");
            await page.locator("#query").pressSequentially("lang:p");
            await page.waitForSelector("#offers:not([hidden])");
            found.push(...(await violations(page)).map((one) => `completion: ${one}`));
            if (width < 700) {
                await page.goto(`${on.server.base}/?q=wind+the+clock&mode=ranked`);
                await page.locator(".row.hit .why").first().click();
                await page.waitForSelector(".whybox .waterfall");
                found.push(...(await violations(page)).map((one) => `reasons: ${one}`));
            }
            await page.context().close();
            assert.deepEqual(found, []);
        });
    }
}
