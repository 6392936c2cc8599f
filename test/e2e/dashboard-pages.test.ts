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
    page.on("dialog", (dialog) => void dialog.accept());
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

    await show("Status", () => page.getByText("Active in the last 5 minutes").waitFor());
    await show("Sessions", async () => {
      await page.getByLabel("Search all conversations").fill("striped");
      await page.getByRole("cell", { name: "tell me about zebras", exact: true }).waitFor();
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "Export tell me about zebras" }).click();
      const file = path.join(stage.folder, "exported.json");
      await (await download).saveAs(file);
      expect(await readFile(file, "utf8")).toContain("The zebra is striped.");
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
      await page.getByRole("button", { name: /^Pause / }).click();
      await page.getByRole("cell", { name: "paused", exact: true }).waitFor();
      await page.getByText("Nothing is due.").waitFor();
      await page.getByRole("button", { name: /^Resume / }).click();
      await page.getByRole("cell", { name: "paused", exact: true }).waitFor({ state: "detached" });
      await page.getByRole("button", { name: /^Delete / }).click();
      await page.getByText("Nothing is scheduled.").waitFor();
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
      await page.getByLabel("Search settings").fill("display.skin");
      await page.getByRole("button", { name: "Reset display.skin" }).click();
      await page.getByRole("button", { name: "Reset display.skin" }).waitFor({ state: "detached" });
    });
    await show("Keys", () => page.getByRole("region", { name: "Models" }).waitFor());
    await show("Logs", async () => {
      const shown = page.locator("pre").first();
      await expect.poll(() => shown.innerText()).toMatch(/T[\d:.]+Z INFO \[\w+\] agent: turn ended/);
      await page.getByLabel("Component").selectOption("hermes");
      await expect.poll(() => shown.innerText()).not.toContain("agent:");
      await page.getByLabel("Component").selectOption("agent");
      await expect.poll(() => shown.innerText()).toContain("agent: turn ended");
      await page.getByRole("combobox", { name: "Lines" }).selectOption("100");
      await page.getByLabel("Level").selectOption("error");
      await expect.poll(() => shown.innerText()).not.toMatch(/ INFO /);
    });

    await show("Sessions", async () => {
      await page.getByRole("button", { name: "Delete tell me about zebras" }).click();
      await page.getByText("No conversation was found.").waitFor();
    });

    expect(faults).toEqual(Object.fromEntries(Object.keys(faults).map((name) => [name, []])));
    const config = await readFile(path.join(stage.home, "config.yaml"), "utf8");
    expect(config).toContain("# a comment that stays");
    expect(config).toContain("max_turns: 77");
    expect(config).not.toContain("skin");
    // The refused value is an answer of 422, which browsers write to the console.
    expect(problems.filter((text) => !text.includes("422"))).toEqual([]);
  });
});
