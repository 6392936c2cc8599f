import { readFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { calls, reply, says, slow, thinks } from "../fakes/model-server/index.ts";
import { openChromium, openPage, startDashboard } from "./support/dashboard.ts";
import { root, Stage } from "./support/stage.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

function newScope(): Scope {
  const scope = new Scope();
  scopes.push(scope);
  return scope;
}

describe("a conversation in the page", () => {
  it("streams, shows reasoning, diffs and commands, and asks before what is dangerous [20:R13.1]", async () => {
    const scope = newScope();
    const { model, stage, url } = await startDashboard(scope);
    const problems: string[] = [];
    const page = await openPage(await openChromium(scope), url, problems);
    expect(page.url()).not.toContain("token");

    model.script(
      reply([
        thinks("The word stands in notes.txt."),
        calls("patch", { path: "notes.txt", old_string: "tea", new_string: "coffee" }),
      ]),
      calls("terminal", { command: "rm -rf ./build" }),
      says("Done: **coffee**.\n\n```js\nconst drink = 1;\n```"),
    );
    const field = page.getByLabel("Message", { exact: true });
    await field.fill("replace tea with coffee, then clean up");
    await field.press("Enter");
    await page.getByRole("article", { name: "You" }).getByText("replace tea with coffee").waitFor();
    await page.locator(".diff .added", { hasText: "+coffee" }).waitFor();

    const approval = page.getByRole("alertdialog", { name: "Approval" });
    await approval.getByText("rm -rf ./build").waitFor();
    await approval.getByRole("button", { name: "Allow once" }).click();

    await page.getByRole("article", { name: "Hermes" }).locator("strong", { hasText: "coffee" }).waitFor();
    await page.locator(".hljs-keyword", { hasText: "const" }).waitFor();
    await page.getByText("Reasoning").click();
    await page.getByText("The word stands in notes.txt.").waitFor();
    expect(await readFile(path.join(stage.work, "notes.txt"), "utf8")).toBe("coffee\n");

    await field.fill("/he");
    await page.getByRole("option", { name: /^\/help/ }).waitFor();
    await field.press("Tab");
    expect(await field.inputValue()).toMatch(/^\/help/);
    expect(problems).toEqual([]);
  });

  it("stands in the list as soon as it began, and under a new title as soon as it has one [20:R13.1]", async () => {
    const scope = newScope();
    const { model, url } = await startDashboard(scope);
    const context = await openChromium(scope);
    // What is read again every three seconds is never read again here.
    await context.addInitScript(
      "const later = window.setTimeout; window.setTimeout = (act, ms, ...args) => (ms === 3000 ? 0 : later(act, ms, ...args));",
    );
    const page = await openPage(context, url, []);
    await page.getByText("No conversations yet.").waitFor();
    model.script(slow(says("one two", { fragments: 2 })));
    await page.getByLabel("Message", { exact: true }).fill("count");
    await page.getByLabel("Message", { exact: true }).press("Enter");
    model.release(1);
    const listed = page.getByRole("complementary", { name: "Conversations" }).getByRole("listitem");
    await listed.getByText("dashboard,").waitFor();
    model.release(8);
    await page.getByText("one two").waitFor();
    await page.getByLabel("Message", { exact: true }).fill("/title Counting");
    await page.getByLabel("Message", { exact: true }).press("Enter");
    await listed.getByText("Counting").waitFor();
  });

  it("goes on where it was after the connection broke, and on a second page [20:R13.1]", async () => {
    const scope = newScope();
    const { model, url, token, origin } = await startDashboard(scope);
    const context = await openChromium(scope);
    const page = await openPage(context, url, []);
    model.script(slow(says("one two three four five six seven eight", { fragments: 8 })));
    await page.getByLabel("Message", { exact: true }).fill("count");
    await page.getByLabel("Message", { exact: true }).press("Enter");
    model.release(4);
    await page.getByRole("article", { name: "Hermes" }).getByText("one").waitFor();
    await page.waitForURL(/#\/chat\/./);

    const second = await openPage(context, `${origin}/#token=${token}`, []);
    await second.goto(`${origin}/${new URL(page.url()).hash}`);
    await second.getByRole("article", { name: "Hermes" }).getByText("one").waitFor();

    await page.reload();
    await page.getByRole("article", { name: "Hermes" }).getByText("one").waitFor();
    model.release(100);
    for (const each of [page, second])
      await each.getByText("one two three four five six seven eight", { exact: true }).waitFor();
    expect(await second.getByRole("article", { name: "You" }).allInnerTexts()).toEqual(["count"]);
  });
});

describe("hermes dashboard", () => {
  it("refuses to listen for a network [20:A13.4] [20:R13.3]", async () => {
    const stage = newScope().adopt(await Stage.open());
    const { code, stderr } = await stage.run(["dashboard", "--host", "0.0.0.0", "--no-open"]);
    expect(code).toBe(1);
    expect(stderr).toContain("does not listen on 0.0.0.0");
  });

  it("shows its menu before any script has run, the same that the page has", async () => {
    const scope = newScope();
    const { url } = await startDashboard(scope);
    const context = await openChromium(scope);
    const page = await openPage(context, url, []);
    await page.getByLabel("Message", { exact: true }).waitFor();
    const menu = (of: typeof page) => of.locator("nav > :not(.brand)").allInnerTexts();
    const bare = await (await openChromium(scope, { context: { javaScriptEnabled: false } })).newPage();
    await bare.goto(url);
    expect(await menu(bare)).toEqual(await menu(page));
    expect(await bare.locator("nav").count()).toBe(1);
    expect(await page.locator("nav").count()).toBe(1);
  });

  it("loads less than 150 kB at first", async () => {
    const folder = path.join(root, "dist", "dashboard-page");
    const script = await readFile(path.join(folder, "main.js"), "utf8");
    const chunks = [...script.matchAll(/from"\.\/([\w-]+\.js)"/g)].map(([, name]) => name ?? "");
    let bytes = 0;
    for (const name of ["index.html", "main.js", "main-style.css", "icon.svg", ...chunks])
      bytes += gzipSync(await readFile(path.join(folder, name))).length;
    expect(bytes).toBeLessThan(150_000);
  });
});
