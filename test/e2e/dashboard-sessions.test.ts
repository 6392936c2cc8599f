import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { calls, says } from "../fakes/model-server/index.ts";
import { serious } from "./support/axe.ts";
import { openChromium, openPage, startDashboard } from "./support/dashboard.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

function newScope(): Scope {
  const scope = new Scope();
  scopes.push(scope);
  return scope;
}

describe("sessions in the page", () => {
  it("shows where a session comes from and what came of it, to walk through [20:R13.1] [20:R13.2]", async () => {
    const scope = newScope();
    const { model, url, stage } = await startDashboard(scope);
    model.otherwise(says("Noted."));
    const problems: string[] = [];
    const page = await openPage(await openChromium(scope), url, problems);
    const message = page.getByLabel("Message", { exact: true });
    await message.fill("remember the blue door");
    await message.press("Enter");
    await page.getByText("Noted.").waitFor();
    await message.fill("/title The doors");
    await message.press("Enter");
    await page.getByRole("heading", { name: "The doors" }).waitFor();
    await message.fill("/branch Another way");
    await message.press("Enter");
    await page.getByRole("heading", { name: "Another way" }).waitFor();
    await page.getByRole("link", { name: "Sessions", exact: true }).click();
    await page.getByRole("link", { name: "Details of Another way" }).click();
    await page.getByRole("heading", { name: "Another way", level: 1 }).waitFor();
    const tree = page.locator(".lineage");
    await tree.getByRole("link", { name: "The doors" }).waitFor();
    expect(await tree.locator("ul li").textContent()).toMatch(/^Another way branch, dashboard, \d+ messages/);
    expect(await tree.locator("[aria-current]").textContent()).toBe("Another way");
    expect(await serious(page)).toEqual([]);
    await tree.getByRole("link", { name: "The doors" }).click();
    await page.getByRole("heading", { name: "The doors", level: 1 }).waitFor();
    await page.getByLabel("You").getByText("remember the blue door").waitFor();
    expect(await tree.locator("[aria-current]").textContent()).toBe("The doors");
    await page.getByRole("link", { name: "Open in the chat" }).click();
    await message.waitFor();
    await page.goto(page.url().replace(/#.*/, "#/sessions/nobody"));
    await page.getByRole("alert").first().getByText("There is no such conversation.").waitFor();
    expect(problems.filter((one) => !one.includes("404"))).toEqual([]);
    expect(existsSync(stage.home)).toBe(true);
  });
});

describe("approvals of other programs", () => {
  it("are shown in the page and answered there; the program goes on [20:R13.1]", async () => {
    const scope = newScope();
    const { model, url, stage } = await startDashboard(scope);
    await mkdir(path.join(stage.work, "build"));
    const problems: string[] = [];
    const page = await openPage(await openChromium(scope), url, problems);
    await page.getByRole("link", { name: "Approvals", exact: true }).click();
    await page.getByText("Nothing waits.").waitFor();
    model.script(
      calls("terminal", { command: "rm -rf ./build" }),
      says("It is clean."),
      calls("terminal", { command: "rm -rf ./work" }),
      says("I leave it."),
    );
    const window = scope.adopt(new ProgramTerminal(stage, []));
    await window.sees("❯");
    await window.say("clean up");
    await page.getByText("cli, in another program").waitFor();
    await page.getByRole("alertdialog", { name: "Approval" }).getByText("rm -rf ./build").waitFor();
    expect(await serious(page)).toEqual([]);
    await page.getByRole("button", { name: "Allow once" }).click();
    await window.answers("It is clean.");
    expect(existsSync(path.join(stage.work, "build"))).toBe(false);
    await page.getByText("Nothing waits.").waitFor();
    await page.getByRole("row", { name: /rm -rf .\/build.*allowed by a person, once/ }).waitFor();
    await window.say("and the rest");
    await page.getByRole("alertdialog", { name: "Approval" }).getByText("rm -rf ./work").waitFor();
    await page.getByRole("button", { name: "Deny" }).click();
    await window.answers("I leave it.");
    await page.getByRole("row", { name: /rm -rf .\/work.*blocked/ }).waitFor();
    // What is answered where it was asked goes away here.
    expect(await page.getByText("Nothing waits.").isVisible()).toBe(true);
    expect(problems).toEqual([]);
  });
});
