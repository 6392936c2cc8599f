import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { calls, reply, says, thinks } from "../fakes/model-server/index.ts";
import { serious } from "./support/axe.ts";
import { type Dashboard, openChromium, openPage, startDashboard } from "./support/dashboard.ts";
import { root } from "./support/stage.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

/** `HERMES_IMAGES=docs` (`npm run screenshot:dashboard`) keeps the pictures for the documentation; otherwise they go with the stage. */
const intoDocs = process.env["HERMES_IMAGES"] === "docs";
const widths = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const;
type Width = keyof typeof widths;
type Scheme = "light" | "dark";

/** What the guide shows: every page once, and the chat as it looks on a phone and in the dark. */
const kept: ReadonlySet<string> = new Set([
  "chat-desktop-dark",
  "chat-phone-light",
  "approvals-phone-dark",
  ...["chat", "session", "status", "sessions", "insights", "memory", "abilities", "approvals"].map(light),
  ...["schedules", "settings", "keys", "logs"].map(light),
]);

function light(name: string): string {
  return `${name}-desktop-light`;
}

const headings: Readonly<Record<string, string>> = {
  status: "Status",
  sessions: "Sessions",
  insights: "Insights",
  memory: "Memory",
  abilities: "Skills and tools",
  approvals: "Approvals",
  schedules: "Schedules",
  settings: "Settings",
  keys: "Keys",
  logs: "Logs",
};

async function talk(page: Page, words: string): Promise<void> {
  const message = page.getByLabel("Message", { exact: true });
  await message.fill(words);
  await message.press("Enter");
}

/** A home that has been used: notes, jobs, a budget, a conversation with a change and one with a question. */
async function live({ model, stage, url }: Dashboard, scope: Scope, problems: string[]): Promise<Page> {
  await mkdir(path.join(stage.home, "memories"), { recursive: true });
  await writeFile(
    path.join(stage.home, "memories", "MEMORY.md"),
    "The shop's server is called anna.\n§\nReleases go out on Thursdays.",
  );
  await writeFile(path.join(stage.home, "memories", "USER.md"), "Drinks coffee now.\n§\nLives in Ulm.");
  for (const [when, what, name] of [
    ["every day at 9:00", "Summarise what changed in the repository.", "Morning report"],
    ["every 8h", "Check that the shop answers.", "Shop watch"],
    ["0 18 * * 5", "Write the weekly review.", "Weekly review"],
  ] as const)
    await stage.run(["cron", "create", when, what, "--name", name]);
  const page = await openPage(await openChromium(scope), url, problems);
  await page.setViewportSize(widths.desktop);
  model.script(
    reply([thinks("I look first."), calls("read_file", { path: "notes.txt" })]),
    calls("patch", { path: "notes.txt", old_string: "tea", new_string: "coffee" }),
    says('Done: **notes.txt** says `coffee` now.\n\n```ts\nconst drink = "coffee";\n```'),
    calls("terminal", { command: "rm -rf ./build" }),
    says("It is clean."),
  );
  await talk(page, "replace tea with coffee in notes.txt");
  await page.getByText("says coffee now").waitFor();
  await talk(page, "/title Coffee instead of tea");
  await page.getByRole("heading", { name: "Coffee instead of tea" }).waitFor();
  await talk(page, "clean up the build folder");
  await page.getByRole("alertdialog", { name: "Approval" }).waitFor();
  return page;
}

describe("every page", () => {
  it("fits a desktop and a phone, light and dark, and anybody can read it [20:R13.1]", async () => {
    const scope = new Scope();
    scopes.push(scope);
    const dashboard = await startDashboard(scope, "budget: { daily_usd: 5 }");
    const { stage } = dashboard;
    const folder = intoDocs ? path.join(root, "docs", "images") : stage.folder;
    const problems: string[] = [];
    const page = await live(dashboard, scope, problems);
    const chat = page.url().replace(/^[^#]*/, "");
    const places: readonly (readonly [string, string, string])[] = [
      ["chat", chat, "Coffee instead of tea"],
      ["session", chat.replace("#/chat/", "#/sessions/"), "Coffee instead of tea"],
      ...Object.entries(headings).map(([name, heading]) => [name, `#/${name}`, heading] as const),
    ];
    const faults: string[] = [];
    const look = async (name: string, width: Width, colorScheme: Scheme): Promise<void> => {
      await page.setViewportSize(widths[width]);
      await page.emulateMedia({ colorScheme });
      const picture = `${name}-${width}-${colorScheme}`;
      const over = await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth");
      if (over > 0) faults.push(`${picture} is ${over} wider than the window`);
      faults.push(...(await serious(page)).map((fault) => `${picture}: ${fault}`));
      if (kept.has(picture) || !intoDocs)
        await page.screenshot({ path: path.join(folder, `dashboard-${picture}.png`) });
    };
    for (const [name, address, heading] of places) {
      await page.evaluate(`window.location.hash = ${JSON.stringify(address)}`);
      await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
      await expect.poll(() => page.getByText("Loading…").count()).toBe(0);
      if (name === "insights") await page.locator(".plot canvas").last().waitFor();
      for (const width of ["desktop", "phone"] as const)
        for (const scheme of ["light", "dark"] as const) await look(name, width, scheme);
    }
    expect(faults).toEqual([]);
    expect(problems).toEqual([]);
  }, 600_000);
});
