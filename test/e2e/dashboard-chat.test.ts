import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { calls, rateLimited, says, slow } from "../fakes/model-server/index.ts";
import { type Dashboard, openChromium, openPage, startDashboard } from "./support/dashboard.ts";

// A program and a browser each time.
vi.setConfig({ testTimeout: 300_000 });

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

async function openChat(more = ""): Promise<Dashboard & { readonly page: Page; readonly problems: string[] }> {
  const scope = new Scope();
  scopes.push(scope);
  const dashboard = await startDashboard(scope, more);
  const problems: string[] = [];
  const page = await openPage(await openChromium(scope), dashboard.url, problems);
  return { ...dashboard, page, problems };
}

async function say(page: Page, words: string): Promise<void> {
  const field = page.getByLabel("Message", { exact: true });
  await field.fill(words);
  await field.press("Enter");
}

const dot = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe("a chat in the page", () => {
  it("says in plain words why an attempt failed and what is done about it [20:R13.1]", async () => {
    const { model, page, problems } = await openChat();
    model.script(rateLimited({ retryAfterMs: 1000 }), says("Here I am."));
    await say(page, "hello");
    await page.getByText(/is limiting requests.* – trying again in \d+ s \(attempt 2 of \d+\)/).waitFor();
    await page.getByText("Here I am.").waitFor();
    expect(await page.locator(".scroller").innerText()).not.toContain("rate_limit");
    expect(problems).toEqual([]);
  });

  it("asks questions with buttons, and shows what a command prints while it runs [20:R13.1]", async () => {
    const { model, stage, page, problems } = await openChat();
    model.script(
      calls("clarify", { question: "Which colour?", choices: ["red", "blue"] }),
      calls("terminal", { command: "echo first-line; while [ ! -f go ]; do sleep 0.1; done; echo last-line" }),
      says("Blue it is."),
    );
    await say(page, "paint it");
    const question = page.getByRole("alertdialog", { name: "Question" });
    await question.getByText("Which colour?").waitFor();
    await question.getByRole("button", { name: "blue" }).click();
    const card = page.getByRole("article", { name: "Tool terminal" });
    await card.locator(".output", { hasText: "first-line" }).waitFor();
    expect(await card.locator(".output").innerText()).not.toContain("last-line");
    expect(await card.locator(".state").innerText()).toBe("running");
    await writeFile(path.join(stage.work, "go"), "");
    await page.getByText("Blue it is.").waitFor();
    expect(await card.locator(".state").innerText()).toMatch(/^done in /);
    expect(JSON.stringify((await model.received(2)).messages.at(-1))).toContain("blue");
    expect(problems).toEqual([]);
  });

  it("steers a turn, queues for afterwards, takes back, stops and takes back what was said [20:R13.1]", async () => {
    const { model, page, problems } = await openChat();
    model.script(
      calls("terminal", { command: "rm -rf ./build" }),
      says("The first is done."),
      says("The second is done."),
      slow(says("uno two three four five six seven eight", { fragments: 8 })),
    );
    await say(page, "clean up");
    await page.getByRole("alertdialog", { name: "Approval" }).waitFor();
    const field = page.getByLabel("Message", { exact: true });
    await field.fill("and be quick");
    await page.getByRole("button", { name: "Steer" }).click();
    await field.fill("then look around");
    await page.getByRole("button", { name: "Queue" }).click();
    await page.getByText("Queued: then look around").waitFor();
    await page.getByRole("button", { name: "Take back" }).click();
    await page.getByText("Queued: then look around").waitFor({ state: "detached" });
    await expect.poll(() => field.inputValue()).toBe("then look around");
    await page.getByRole("button", { name: "Queue" }).click();
    await page.getByText("Queued: then look around").waitFor();
    await page.getByRole("button", { name: "Allow once" }).click();
    await page.getByText("The second is done.").waitFor();
    expect(JSON.stringify((await model.received(2)).messages)).toContain("and be quick");
    expect(JSON.stringify((await model.received(3)).messages.at(-1))).toContain("then look around");

    await say(page, "count");
    model.release(4);
    await page.getByRole("article", { name: "Hermes" }).getByText("uno").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
    await say(page, "/undo");
    await page.getByRole("article", { name: "You" }).getByText("count").waitFor({ state: "detached" });
    await page.getByText("The second is done.").waitFor();
    expect(problems).toEqual([]);
  });

  it("takes images in and shows images of the machine, and no other files [20:R13.1]", async () => {
    const { model, stage, page, origin, token, problems } = await openChat("display: { image_mode: native }");
    await writeFile(path.join(stage.work, "dot.png"), dot);
    await writeFile(path.join(stage.work, "not-an-image.png"), "secret words");
    model.script(says("I see it: ![a dot](dot.png) and ![words](not-an-image.png)"));
    await page.getByLabel("Attach images").setInputFiles({ name: "sent.png", mimeType: "image/png", buffer: dot });
    await page.getByRole("img", { name: "attached 1" }).waitFor();
    await say(page, "what is this?");
    await page.getByRole("article", { name: "You" }).getByRole("img").waitFor();
    const shown = page.getByRole("article", { name: "Hermes" }).getByRole("img", { name: "a dot" });
    await shown.waitFor();
    await expect.poll(() => shown.evaluate((image) => Reflect.get(image, "naturalWidth") as number)).toBe(1);
    await page.getByRole("article", { name: "Hermes" }).getByText("not-an-image.png").waitFor();
    expect(JSON.stringify((await model.received(1)).messages)).toContain(dot.toString("base64").slice(0, 60));

    const headers = { authorization: `Bearer ${token}` };
    const asked = async (file: string): Promise<number> =>
      (await fetch(`${origin}/api/image?path=${encodeURIComponent(file)}`, { headers })).status;
    expect(await asked("dot.png")).toBe(200);
    for (const file of [
      "not-an-image.png",
      path.join(stage.home, ".env"),
      "/etc/hostname",
      "../../../../etc/hostname",
      "",
    ])
      expect(await asked(file)).toBe(404);
    expect((await fetch(`${origin}/api/image?path=dot.png`)).status).toBe(401);
    expect(problems.filter((one) => !one.includes("404"))).toEqual([]);
  });

  it("goes on with one conversation while another is read and written [20:R13.1]", async () => {
    const { model, page, problems } = await openChat();
    model.script(slow(says("uno two three four five six seven eight", { fragments: 8 })));
    await say(page, "count slowly");
    model.release(4);
    await page.getByRole("article", { name: "Hermes" }).getByText("uno").waitFor();
    await page.getByRole("link", { name: "New conversation" }).click();
    await page.getByText("What shall we do?").waitFor();
    model.script(says("The other one."));
    await say(page, "and you?");
    await page.getByText("The other one.").waitFor();
    await page.getByLabel("Search conversations").fill("slowly");
    const list = page.getByRole("complementary", { name: "Conversations" });
    await list.getByText("and you?").waitFor({ state: "detached" });
    await list.getByRole("link", { name: /count slowly/ }).click();
    await page.getByRole("article", { name: "You" }).getByText("count slowly").waitFor();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    model.release(100);
    await page.getByText("uno two three four five six seven eight", { exact: true }).waitFor();
    expect(await page.getByText("The other one.").count()).toBe(0);
    // As often as one likes.
    for (const words of ["a third", "a fourth"]) {
      await page.getByRole("link", { name: "New conversation" }).click();
      await page.getByText("What shall we do?").waitFor();
      model.script(says(`Here is ${words}.`));
      await say(page, words);
      await page.getByText(`Here is ${words}.`).waitFor();
      expect(await page.getByRole("article", { name: "You" }).count()).toBe(1);
    }
    expect(problems).toEqual([]);
  });

  it("shows what an agent does that was given a task [20:R13.1]", async () => {
    const { model, page, problems } = await openChat();
    model.script(
      calls("delegate_task", { goal: "Read the notes." }),
      calls("read_file", { path: "notes.txt" }),
      says("They say tea."),
      says("My helper says tea."),
    );
    await say(page, "let somebody read the notes");
    await page.getByText("My helper says tea.").waitFor();
    const card = page.getByRole("article", { name: "Tool agent" });
    expect(await card.locator("summary").first().innerText()).toMatch(/agent Read the notes\. done/);
    await card.locator("summary").first().click();
    expect(await card.locator(".output").innerText()).toMatch(/read_file .*notes\.txt\s+They say tea\./);
    expect(problems).toEqual([]);
  });
});
