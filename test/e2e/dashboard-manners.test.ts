import type { Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { calls, says } from "../fakes/model-server/index.ts";
import { openChromium, openPage, startDashboard } from "./support/dashboard.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

function newScope(): Scope {
  const scope = new Scope();
  scopes.push(scope);
  return scope;
}

/** What has the keyboard, in words of a screen reader. */
const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(`(() => {
    const { activeElement: at } = document;
    return at.getAttribute("aria-label") ?? at.textContent;
  })()`);

/** Presses Tab until this has the keyboard; fails where it is never reached. */
async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press("Tab");
    const now = await focused(page);
    if (now === name) return;
    passed.push(now);
  }
  throw new Error(`${name} is not reached; passed ${passed.join(" | ")}`);
}

describe("manners of the page", () => {
  it("is used with the keyboard alone, in a window as narrow as a phone [20:R13.1]", async () => {
    const scope = newScope();
    const { model, url } = await startDashboard(scope);
    const problems: string[] = [];
    const page = await openPage(await openChromium(scope), url, problems);
    await page.setViewportSize({ width: 360, height: 640 });
    model.script(calls("terminal", { command: "rm -rf ./build" }), says("It is clean."));
    await page.getByLabel("Message", { exact: true }).waitFor();
    await tabTo(page, "Message");
    await page.keyboard.type("clean up");
    await page.keyboard.press("Enter");
    await page.getByRole("alertdialog", { name: "Approval" }).waitFor();
    await tabTo(page, "Allow once");
    await page.keyboard.press("Enter");
    await page.getByText("It is clean.").waitFor();
    const wide: string[] = [];
    const titles = await page.getByRole("navigation").getByRole("link").allInnerTexts();
    expect(titles).toContain("Skills and tools");
    for (const title of titles) {
      await tabTo(page, title);
      await page.keyboard.press("Enter");
      if (title !== "Chat") await page.getByRole("heading", { name: title, level: 1 }).waitFor();
      const isWide = await page.evaluate<boolean>("document.documentElement.scrollWidth > innerWidth");
      if (isWide) wide.push(title);
      // A terminal needs the Tab key itself; its label says how to leave it.
      if (title === "Terminal") {
        await expect.poll(() => focused(page)).toContain("Control-Shift-Escape leaves it");
        await page.keyboard.press("Control+Shift+Escape");
      }
    }
    expect(wide).toEqual([]);
    expect(problems).toEqual([]);
  });
});
