import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { says } from "../fakes/model-server/index.ts";
import { serious } from "./support/axe.ts";
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

describe("the pages beside the chat", () => {
  it("show what is there, change it, and have no serious fault for screen readers [20:R13.1] [20:R13.2]", async () => {
    const scope = newScope();
    const { model, stage, url } = await startDashboard(scope, "# a comment that stays\ndisplay: { skin: default }");
    const problems: string[] = [];
    const page = await openPage(await openChromium(scope), url, problems);
    model.script(says("The zebra is striped."));
    await page.getByLabel("Message", { exact: true }).fill("tell me about zebras");
    await page.getByLabel("Message", { exact: true }).press("Enter");
    await page.getByText("The zebra is striped.").waitFor();
    const faults: Record<string, readonly string[]> = { chat: await serious(page) };
    const show = async (title: string, sign: () => Promise<unknown>): Promise<void> => {
      await page.getByRole("navigation").getByRole("link", { name: title, exact: true }).click();
      await page.getByRole("heading", { name: title, level: 1 }).waitFor();
      await sign();
      faults[title] = await serious(page);
    };

    await show("Status", () => page.getByText("1, 1 active in the last 5 minutes").waitFor());
    await show("Sessions", async () => {
      await page.getByLabel("Search all conversations").fill("striped");
      await page.getByRole("cell", { name: "tell me about zebras", exact: true }).waitFor();
    });
    await show("Insights", async () => {
      for (const title of ["Cost", "Tokens", "Conversations"])
        await page
          .getByRole("img", { name: new RegExp(`^${title} per day: `) })
          .locator("canvas")
          .waitFor();
      await page.getByRole("img", { name: "Conversations per day: 1 in all, 1 at most" }).waitFor();
      await page.getByRole("img", { name: /^Tokens per day: [1-9]/ }).waitFor();
    });
    await show("Schedules", async () => {
      await page.getByLabel("When").fill("every 2h");
      await page.getByLabel("What").fill("look at the news");
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByText("look at the news").first().waitFor();
      // Every two hours for seven days.
      await expect.poll(() => page.locator(".time-line .track i").count()).toBeGreaterThanOrEqual(83);
      await page.getByRole("button", { name: /^History of / }).click();
      await page.getByText("It has not run yet.").waitFor();
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByRole("cell", { name: "paused", exact: true }).waitFor();
      await page.getByText("Nothing is due.").waitFor();
    });
    await show("Settings", async () => {
      await page.getByLabel("Search settings").fill("agent.max_turns");
      const field = page.getByLabel("agent.max_turns", { exact: true });
      await field.fill("many");
      await page.getByRole("button", { name: "Save agent.max_turns" }).click();
      await page.getByRole("alert").getByText("agent.max_turns").waitFor();
      await field.fill("77");
      await page.getByRole("button", { name: "Save agent.max_turns" }).click();
      await page.getByRole("button", { name: "Reset agent.max_turns" }).waitFor();
    });
    await show("Keys", async () => {
      await page.getByLabel("Name").fill("OPENAI_API_KEY");
      await page.getByLabel("Value").fill("sk-a-long-secret-value");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("button", { name: "Remove OPENAI_API_KEY" }).waitFor();
      expect(await page.content()).not.toContain("sk-a-long-secret-value");
    });
    await show("Logs", async () => {
      const shown = page.locator("pre").first();
      await expect.poll(() => shown.innerText()).toMatch(/T[\d:.]+Z INFO /);
      await page.getByLabel("Level").selectOption("error");
      await expect.poll(() => shown.innerText()).not.toMatch(/ INFO /);
    });

    expect(faults).toEqual(Object.fromEntries(Object.keys(faults).map((name) => [name, []])));
    const config = await readFile(path.join(stage.home, "config.yaml"), "utf8");
    expect(config).toContain("# a comment that stays");
    expect(config).toContain("max_turns: 77");
    expect(await readFile(path.join(stage.home, ".env"), "utf8")).toContain("sk-a-long-secret-value");
    // The refused value is an answer of 422, which browsers write to the console.
    expect(problems.filter((text) => !text.includes("422"))).toEqual([]);
  });
});
