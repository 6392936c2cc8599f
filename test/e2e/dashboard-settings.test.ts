import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { calls, says } from "../fakes/model-server/index.ts";
import { serious } from "./support/axe.ts";
import { type Dashboard, openChromium, openPage, startDashboard } from "./support/dashboard.ts";

// A browser looks at many pages.
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

const go = (page: Page, title: string): Promise<void> =>
  page.getByRole("navigation").getByRole("link", { name: title, exact: true }).click();

const config = ({ stage }: Dashboard): Promise<string> => readFile(path.join(stage.home, "config.yaml"), "utf8");

describe("themes", () => {
  it("are chosen in the page, stay, and can be read by anybody, light and dark [20:R13.1]", async () => {
    const scope = newScope();
    const dashboard = await startDashboard(scope, "# a comment that stays");
    const { model, url, origin } = dashboard;
    const problems: string[] = [];
    const page = await openPage(await openChromium(scope), url, problems);
    model.script(
      calls("patch", { path: "notes.txt", old_string: "tea", new_string: "coffee" }),
      calls("terminal", { command: "rm -rf ./build" }),
      says("Done."),
    );
    await page.getByLabel("Message", { exact: true }).fill("replace tea with coffee");
    await page.getByLabel("Message", { exact: true }).press("Enter");
    await page.getByRole("alertdialog", { name: "Approval" }).waitFor();
    const chat = page.url();
    const themes = ["midnight", "ember", "mono", "cyberpunk", "rose", "default"];
    const faults: string[] = [];
    const backs = new Set<string>();
    for (const theme of themes) {
      await go(page, "Settings");
      const saved = page.waitForResponse((got) => got.url().endsWith("api/config") && got.ok());
      await page.getByRole("radio", { name: theme, exact: false }).check();
      await saved;
      await page.locator(`html[data-theme="${theme}"]`).waitFor();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await page.getByText("All settings").waitFor();
        faults.push(...(await serious(page)).map((fault) => `settings ${theme} ${colorScheme}: ${fault}`));
        await page.goto(chat);
        await page.getByRole("alertdialog", { name: "Approval" }).waitFor();
        faults.push(...(await serious(page)).map((fault) => `chat ${theme} ${colorScheme}: ${fault}`));
        backs.add(await page.evaluate<string>("getComputedStyle(document.body).backgroundColor"));
        await go(page, "Settings");
      }
      expect(await config(dashboard)).toContain(`theme: ${theme}`);
    }
    expect(faults).toEqual([]);
    // Three have a light and a dark side, three are dark.
    expect(backs.size).toBe(9);

    // It is in the page before any script has run.
    await page.getByRole("radio", { name: "Ember" }).check();
    await expect.poll(() => config(dashboard)).toContain("theme: ember");
    expect(await (await fetch(`${origin}/`)).text()).toContain('data-theme="ember"');
    await page.reload();
    await page.getByRole("radio", { name: "Ember", checked: true }).waitFor();
    expect(await config(dashboard)).toContain("# a comment that stays");
    expect(problems).toEqual([]);
  });
});

describe("settings as JSON", () => {
  it("go out without credentials, come in after a look at what they change, all or none [20:R13.1] [20:R13.2]", async () => {
    const scope = newScope();
    const secret = "sk-a-long-secret-value-that-stays";
    const dashboard = await startDashboard(
      scope,
      [
        "# a comment that stays",
        "agent: { max_turns: 40 } # beside a value",
        "custom_providers:",
        `  - { name: mine, base_url: "http://127.0.0.1:9/v1", api_key: ${secret} }`,
      ].join("\n"),
    );
    const { stage, url, origin, token } = dashboard;
    const problems: string[] = [];
    const page = await openPage(await openChromium(scope), url, problems);
    await go(page, "Settings");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export as JSON" }).click();
    const file = path.join(stage.folder, "out.json");
    await (await download).saveAs(file);
    const text = await readFile(file, "utf8");
    const exported = JSON.parse(text) as { agent: { max_turns: number }; model: { default: string } };
    expect(exported.agent).toEqual({ max_turns: 40 });
    expect(exported.model.default).toBe("test-model");
    expect(text).not.toContain(secret);
    expect(text).not.toContain("***");
    await page.getByText("Left out, since they hold credentials: custom_providers").waitFor();

    const take = async (value: unknown): Promise<void> => {
      await writeFile(file, JSON.stringify(value));
      await page.getByLabel("File of settings").setInputFiles(file);
    };
    await take(exported);
    await page.getByText("out.json changes nothing.").waitFor();
    const before = await config(dashboard);
    await take({ ...exported, agent: { max_turns: "many" }, budget: { daily_usd: 5 } });
    await page.getByRole("alert").getByText("agent.max_turns").waitFor();
    await take({ ...exported, no_such_key: 1 });
    await page.getByRole("alert").getByText("no_such_key").waitFor();
    expect(await config(dashboard)).toBe(before);

    await take({ ...exported, agent: { max_turns: 41 }, budget: { daily_usd: 5 } });
    const preview = page.getByRole("region", { name: "Changes from out.json" });
    await preview.getByRole("row", { name: "agent.max_turns 40 41" }).waitFor();
    await preview.getByRole("row", { name: "budget.daily_usd not set 5" }).waitFor();
    expect(await serious(page)).toEqual([]);
    expect(await config(dashboard)).toBe(before);
    await preview.getByRole("button", { name: "Import 2 settings" }).click();
    await page.getByText("2 settings imported from out.json.").waitFor();
    const after = await config(dashboard);
    expect(after).toContain("# a comment that stays");
    expect(after).toContain("max_turns: 41 } # beside a value");
    expect(after).toMatch(/daily_usd: 5/);
    expect(after).toContain(secret);

    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const put = (value: unknown) =>
      fetch(`${origin}/api/config`, { method: "PUT", headers, body: JSON.stringify({ config: value }) });
    const refused = await put({ agent: { max_turns: [] }, display: { skin: "mono" } });
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining("agent.max_turns")]);
    expect(await config(dashboard)).toBe(after);
    const defaults = (await (await fetch(`${origin}/api/config/defaults`, { headers })).json()) as {
      config: { dashboard: { theme: string } };
    };
    expect(defaults.config.dashboard.theme).toBe("default");
    // Refused values are answers of 422, which browsers write to the console.
    expect(problems.filter((one) => !one.includes("422"))).toEqual([]);
  });
});

describe("keys", () => {
  it("stand by purpose and service, with where one is made; set, replaced and removed, never shown [20:R13.1] [20:A13.2]", async () => {
    const scope = newScope();
    const { stage, url } = await startDashboard(scope);
    const problems: string[] = [];
    const page = await openPage(await openChromium(scope), url, problems);
    await go(page, "Keys");
    for (const group of [
      "Models",
      "Web and browser",
      "Images and speech",
      "Memory",
      "Terminals elsewhere",
      "Chat platforms",
    ])
      await page.getByRole("region", { name: group }).waitFor();
    const models = page.getByRole("region", { name: "Models" });
    const link = models.getByRole("link", { name: "Get a key for OpenRouter" });
    expect(await link.getAttribute("href")).toBe("https://openrouter.ai/settings/keys");
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    expect(await serious(page)).toEqual([]);
    const env = (): Promise<string> => readFile(path.join(stage.home, ".env"), "utf8").catch(() => "");

    await page.getByLabel("Search keys").fill("openrouter");
    await page.getByRole("button", { name: "Set OPENROUTER_API_KEY" }).click();
    await page.getByLabel("Value of OPENROUTER_API_KEY").fill("sk-or-the-first-secret");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Replace OPENROUTER_API_KEY" }).click();
    expect(await env()).toContain("sk-or-the-first-secret");
    await page.getByLabel("Value of OPENROUTER_API_KEY").fill("sk-or-the-second-secret");
    await page.getByRole("button", { name: "Save" }).first().click();
    await expect.poll(env).toContain("sk-or-the-second-secret");
    expect(await page.content()).not.toContain("sk-or-the");
    await page.getByText("1 stored").waitFor();
    page.on("dialog", (dialog) => void dialog.accept());
    await page.getByRole("button", { name: "Remove OPENROUTER_API_KEY" }).click();
    await page.getByRole("button", { name: "Set OPENROUTER_API_KEY" }).waitFor();
    expect(await env()).not.toContain("sk-or-the");

    await page.getByLabel("Search keys").fill("");
    await page.getByText("Store a key that is not listed").click();
    await page.getByLabel("Name").fill("MY_SERVICE_API_KEY");
    await page.getByLabel("Value", { exact: true }).fill("my-own-secret-value");
    await page.getByRole("button", { name: "Save" }).click();
    await page
      .getByRole("region", { name: "Other" })
      .getByRole("button", { name: "Remove MY_SERVICE_API_KEY" })
      .waitFor();
    await page.getByLabel("Name").fill("PATH");
    await page.getByLabel("Value", { exact: true }).fill("/tmp");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText("PATH is not the name of a credential.").waitFor();
    expect(problems.filter((one) => !one.includes("422"))).toEqual([]);
  });
});
