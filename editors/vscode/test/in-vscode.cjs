// Drives the extension in VS Code itself, which code-server serves to a headless Chromium: a ranked search whose hit opens, a
// symbol of the workspace, and a definition. Arguments: the address of the workbench with its folder.
"use strict";

const assert = require("node:assert");
const { chromium } = require("playwright-core");

const KEYS = { delay: 40 };

async function main(address, browserPath) {
  const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const rows = () => page.$$eval(".quick-input-list .monaco-list-row", (found) => found.map((row) => row.getAttribute("aria-label")));
  const until = async (what, holds) => {
    for (const begun = Date.now(); Date.now() - begun < 60_000; await page.waitForTimeout(250)) {
      if (await holds()) return console.log(`ok: ${what}`);
    }
    assert.fail(`${what}: ${JSON.stringify(await rows())}`);
  };
  const tab = () => page.$$eval(".tab.active", (tabs) => tabs.map((found) => found.getAttribute("aria-label")).join());
  const cursor = () => page.$$eval(".statusbar-item", (items) => items.map((found) => found.innerText).join(" "));

  await page.goto(address, { waitUntil: "domcontentloaded" });
  await page.waitForSelector(".monaco-workbench", { timeout: 120_000 });
  // The command is listed once the extension is known.
  await until("the command is offered", async () => {
    await page.keyboard.press("Escape");
    await page.keyboard.press("F1");
    await page.keyboard.type("Spyhop: Search", KEYS);
    return (await rows()).some((row) => row?.startsWith("Spyhop: Search"));
  });
  await page.waitForTimeout(5_000);
  await page.keyboard.press("Enter");
  await page.waitForSelector('.quick-input-widget input[placeholder^="What the code does"]');
  await page.keyboard.type("key of a provider", KEYS);
  await until("a search finds while it is typed", async () => (await rows()).some((row) => row?.includes("resolve_api_key, src/auth.rs:")));
  await page.keyboard.press("Enter");
  await until("the hit opens", async () => (await tab()).includes("auth.rs"));

  // The server has to know the tree; the list does not ask again by itself.
  await until("a symbol of the workspace is found", async () => {
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+KeyP");
    await page.keyboard.type("#tkperm", KEYS);
    await page.waitForTimeout(2_000);
    return (await rows()).some((row) => row?.includes("take_permit"));
  });
  await page.keyboard.press("Escape");

  // `lookup(provider)` is on the third line; its definition begins on the sixth.
  await until("a definition is gone to", async () => {
    await page.keyboard.press("Control+KeyG");
    await page.keyboard.type("3:7\n", KEYS);
    await page.waitForTimeout(1_000);
    await page.keyboard.press("F12");
    await page.waitForTimeout(2_000);
    return /Ln 6\b/.test(await cursor());
  });
  await browser.close();
}

main(process.argv[2], process.argv[3]).catch((error) => {
  console.error(error);
  process.exit(1);
});
