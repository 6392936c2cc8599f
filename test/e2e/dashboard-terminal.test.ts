import { afterEach, describe, expect, it, vi } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { says } from "../fakes/model-server/index.ts";
import { openChromium, openPage, startDashboard } from "./support/dashboard.ts";

// Programs and browsers are started several times.
vi.setConfig({ testTimeout: 300_000 });

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

function newScope(): Scope {
  const scope = new Scope();
  scopes.push(scope);
  return scope;
}

describe("the terminal in the page", () => {
  it("is Hermes as in a terminal, follows the window, and goes on with a conversation by its id [20:R13.1] [20:R13.2]", async () => {
    const scope = newScope();
    const { model, url } = await startDashboard(scope);
    const problems: string[] = [];
    const page = await openPage(await openChromium(scope), url, problems);
    const emulator: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("xterm")) emulator.push(request.url());
    });
    await page.getByText("What shall we do?").waitFor();
    expect(emulator).toEqual([]);

    await page.getByRole("link", { name: "Terminal" }).click();
    const screen = page.getByRole("region", { name: "Screen" });
    await screen.getByText("test-model").first().waitFor();
    expect(emulator.length).toBe(1);
    model.script(says("Words with **weight**, drawn in letters."));
    await page.keyboard.type("say something");
    await screen.getByText("say something").first().waitFor();
    await page.keyboard.press("Enter");
    await screen.getByText("drawn in letters.").waitFor();
    const rows = (): Promise<number> => page.locator(".terminal-row").count();
    const before = await rows();
    await page.setViewportSize({ width: 700, height: 400 });
    await expect.poll(rows).toBeLessThan(before);

    await page.getByRole("link", { name: "Sessions" }).click();
    await page.getByRole("link", { name: "Open in terminal" }).first().click();
    await screen.getByText("drawn in letters.").waitFor();
    expect(page.url()).toMatch(/#\/terminal\/./);
    await page.keyboard.press("Control+d");
    await page.keyboard.press("Control+d");
    await page.getByText("The program has ended.").waitFor();
    await page.getByRole("button", { name: "Start it again" }).click();
    await screen.getByText("drawn in letters.").waitFor();
    expect(problems).toEqual([]);
  });
});
