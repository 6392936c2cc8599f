import type { Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { says, slow } from "../fakes/model-server/index.ts";
import { openChromium, openPage, startDashboard } from "./support/dashboard.ts";
import { importLongSession } from "./support/long-session.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

function newScope(): Scope {
  const scope = new Scope();
  scopes.push(scope);
  return scope;
}

// What runs in the page is text: the types of the tests are those of Node.

const topRow = `(() => {
  const edge = document.querySelector(".scroller").getBoundingClientRect().top;
  const row = [...document.querySelectorAll(".scroller .row")].find((one) => one.getBoundingClientRect().bottom > edge + 1);
  return { id: row.dataset.row, y: row.getBoundingClientRect().top - edge };
})()`;

/** The first row that reaches below the top edge, and how far it is from there. */
const atTop = (page: Page) => page.evaluate<{ readonly id: string; readonly y: number }>(topRow);

const scrollTo = (page: Page, share: number) =>
  page.evaluate(`(() => {
    const scroller = document.querySelector(".scroller");
    scroller.scrollTop = scroller.scrollHeight * ${share};
  })()`);

/** Resolves when two pictures in a row show the same. */
const settled = (page: Page) =>
  page.evaluate(`(async () => {
    const scroller = document.querySelector(".scroller");
    for (let before = "", now = "-"; before !== now; ) {
      before = now;
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
      now = scroller.scrollTop + " " + scroller.scrollHeight;
    }
  })()`);

const watch = `(() => {
  const seen = { removed: 0, strayed: 0 };
  globalThis.seen = seen;
  const first = document.querySelector(".markdown p");
  const code = document.querySelector(".markdown .code");
  const scroller = document.querySelector(".scroller");
  new MutationObserver((changes) => {
    for (const { removedNodes } of changes)
      for (const node of removedNodes) if (node === first || node === code) seen.removed += 1;
  }).observe(document.body, { childList: true, subtree: true });
  const look = () => {
    if (scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight > 60) seen.strayed += 1;
    requestAnimationFrame(look);
  };
  look();
})()`;

describe("long conversations", () => {
  it("has ten thousand messages from end to start, and few of them in the page at a time [20:R13.1]", async () => {
    const scope = newScope();
    const { stage, url, origin } = await startDashboard(scope);
    const id = await importLongSession(stage, 10_000);
    const problems: string[] = [];
    const page = await openPage(await openChromium(scope), url, problems);
    await page.goto(`${origin}/#/chat/${id}`);
    await page.getByText("Answer 9999.").waitFor();
    const rows = page.locator(".scroller .row");
    const most: number[] = [await rows.count()];
    const button = page.getByRole("button", { name: /^Show earlier messages/ });
    for (let left = await button.innerText(); left !== ""; ) {
      await scrollTo(page, 0);
      await page.getByRole("button", { name: left, exact: true }).waitFor({ state: "detached" });
      left = (await button.count()) === 0 ? "" : await button.innerText();
      most.push(await rows.count());
    }
    await settled(page);

    // In the middle of it nothing moves by itself, and the row at the edge stays where it is when the window changes.
    await scrollTo(page, 0.5);
    await settled(page);
    const middle = await atTop(page);
    await page.setViewportSize({ width: 700, height: 500 });
    await settled(page);
    const after = await atTop(page);
    expect(after.id).toBe(middle.id);
    expect(Math.abs(after.y - middle.y)).toBeLessThan(40);

    // Every wheel step downwards shows what comes next, without a jump.
    await page.locator(".scroller").hover();
    for (let step = 0; step < 20; step += 1) {
      const numbers = Number((await atTop(page)).id.replace("long-", ""));
      await page.mouse.wheel(0, 400);
      await settled(page);
      const next = Number((await atTop(page)).id.replace("long-", ""));
      expect(next - numbers).toBeGreaterThanOrEqual(0);
      expect(next - numbers).toBeLessThan(20);
      most.push(await rows.count());
    }
    await scrollTo(page, 0);
    await page.getByText("Question 0", { exact: true }).waitFor();
    expect(Math.max(...most.slice(1))).toBeLessThan(200);
    expect(problems).toEqual([]);
  });

  it("leaves what is written alone while the answer grows, and stays at its end [20:R13.1]", async () => {
    const scope = newScope();
    const { model, url } = await startDashboard(scope);
    const page = await openPage(await openChromium(scope), url, []);
    const paragraphs = Array.from({ length: 60 }, (_, index) => `Paragraph ${index} has **some** words in it.`);
    const text = ["```js\nconst first = 1;\n```", ...paragraphs, "The end."].join("\n\n");
    model.script(slow(says(text, { fragments: 600 })));
    await page.getByLabel("Message", { exact: true }).fill("write");
    await page.getByLabel("Message", { exact: true }).press("Enter");
    model.release(100);
    await page.getByText("Paragraph 4 ").waitFor();
    await page.locator(".hljs-keyword").waitFor();
    await page.evaluate(watch);
    model.release(10_000);
    await page.getByText("The end.").waitFor();
    expect(await page.evaluate("seen")).toEqual({ removed: 0, strayed: 0 });
  });
});
