import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { calls, says } from "../fakes/model-server/index.ts";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";
import { serious } from "./support/axe.ts";
import { openChromium, openPage, startDashboard } from "./support/dashboard.ts";

// Several programs and a browser are started.
vi.setConfig({ testTimeout: 300_000 });

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

describe("what a chat platform waits for", () => {
  it("is answered in the page; the chat sees the answer and goes on [20:R13.1] [40:STR-15]", async () => {
    const scope = new Scope();
    scopes.push(scope);
    const telegram = scope.adopt(await startTelegramServer());
    const { model, stage, url } = await startDashboard(
      scope,
      [
        `platforms: { telegram: { extra: { base_url: "${telegram.url}/bot" } } }`,
        'telegram: { allowed_users: ["7"] }',
      ].join("\n"),
    );
    await writeFile(path.join(stage.home, ".env"), `TELEGRAM_BOT_TOKEN=${telegram.token}\n`, { mode: 0o600 });
    await mkdir(path.join(stage.work, "build"));
    const problems: string[] = [];
    const page = await openPage(await openChromium(scope), url, problems);
    await page.getByRole("link", { name: "Approvals", exact: true }).click();
    await page.getByText("Nothing waits.").waitFor();
    stage.start(["gateway", "run"]);

    model.script(
      calls("terminal", { command: "rm -rf ./build" }),
      says("It is clean."),
      calls("terminal", { command: "rm -rf ./work" }),
      says("I leave it."),
    );
    const seen = () => telegram.shown().map(({ text }) => text);
    telegram.text("clean up");
    const approval = page.getByRole("alertdialog", { name: "Approval" });
    await approval.getByText("rm -rf ./build").waitFor();
    await page.getByText("telegram, in another program").waitFor();
    // The chat has the same question, with its own buttons.
    await expect.poll(() => telegram.shown().some(({ buttons }) => buttons.length > 0)).toBe(true);
    expect(await serious(page)).toEqual([]);
    await page.getByRole("button", { name: "Allow once" }).click();
    await expect.poll(seen).toContain("It is clean.");
    expect(existsSync(path.join(stage.work, "build"))).toBe(false);
    const asked = telegram.shown().find(({ text }) => text.includes("rm -rf ./build") && text.includes("Allowed once"));
    expect(asked?.buttons).toEqual([]);
    await page.getByText("Nothing waits.").waitFor();
    await page.getByRole("row", { name: /rm -rf .\/build.*allowed by a person, once/ }).waitFor();

    telegram.text("and the rest");
    await approval.getByText("rm -rf ./work").waitFor();
    await page.getByLabel("Why not, or what to do instead").fill("Ask Anna first.");
    await page.getByRole("button", { name: "Deny" }).click();
    await expect.poll(seen).toContain("I leave it.");
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("Ask Anna first.");
    expect(existsSync(stage.work)).toBe(true);
    await page.getByRole("row", { name: /rm -rf .\/work.*blocked/ }).waitFor();
    expect(problems).toEqual([]);
  });
});
