import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { calls, fails, says, slow, startModelServer } from "../fakes/model-server/index.ts";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";
import { Stage } from "./support/stage.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

const key = "the-key-of-the-other-machine";

/** A gateway without a model of its own, whose turns are done at this address. */
async function gatewayOf(
  url: string,
  { settings = [] as readonly string[], sentKey = key, people = ["7"] as readonly string[] } = {},
) {
  const scope = new Scope();
  scopes.push(scope);
  const telegram = scope.adopt(await startTelegramServer());
  const config = [
    `platforms: { telegram: { extra: { base_url: "${telegram.url}/bot" } } }`,
    `telegram: { allowed_users: ${JSON.stringify(people)}, followup_grace_seconds: 0 }`,
    ...settings,
  ].join("\n");
  const env = `TELEGRAM_BOT_TOKEN=${telegram.token}\nGATEWAY_PROXY_URL=${url}\nGATEWAY_PROXY_KEY=${sentKey}\n`;
  const home = scope.adopt(await Stage.open({ config, env }));
  const child = home.start(["gateway", "run"]);
  const texts = () => telegram.shown().map(({ text }) => text);
  const shows = (...expected: readonly string[]) => expect.poll(texts, { timeout: 60_000 }).toEqual(expected);
  return { telegram, home, child, texts, shows };
}

/** The API server of a whole Hermes, with a model behind it. */
async function otherHermes({ scopes: allowed }: { readonly scopes?: readonly string[] } = {}) {
  const scope = new Scope();
  scopes.push(scope);
  const model = scope.adopt(await startModelServer());
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    "auxiliary: { title_generation: { enabled: false } }",
    ...(allowed === undefined ? [] : [furtherKey(allowed)]),
  ].join("\n");
  const home = scope.adopt(await Stage.open({ config }));
  const env = { API_SERVER_KEY: allowed === undefined ? key : "the-key-of-its-owner" };
  const child = home.start(["api", "--port", "0", "--json"], { env });
  const url = await new Promise<string>((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const found = /"url": "([^"]+)"/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", () => reject(new Error("the API server ended")));
  });
  return { model, home, url };
}

function furtherKey(allowed: readonly string[]): string {
  const sha256 = createHash("sha256").update(key).digest("hex");
  return `api_server: { keys: [{ name: gateway, sha256: "${sha256}", scopes: [${allowed.join()}] }] }`;
}

describe("a gateway whose turns are done elsewhere", { timeout: 120_000 }, () => {
  it("makes one streamed request for a message, with its session, its key and no tools; the text grows in the chat [40:PRC-45] [40:A-PRC-11]", async () => {
    await using remote = await startModelServer();
    remote.script(slow(says("A long answer that grows while it is written.")), says("Second."));
    const { telegram, shows, texts } = await gatewayOf(remote.chatBaseUrl, {
      settings: ["streaming: { enabled: true }"],
    });
    telegram.text("hi");
    await remote.received(1);
    remote.release(4);
    await expect.poll(() => texts()[0], { timeout: 60_000 }).toMatch(/▉$/u);
    remote.release(1_000);
    await shows("A long answer that grows while it is written.");
    expect(remote.requests).toHaveLength(1);
    const [first] = remote.requests;
    expect(first?.body).toMatchObject({ stream: true });
    expect(first?.body).not.toHaveProperty("tools");
    expect(first?.headers).toMatchObject({ authorization: `Bearer ${key}` });
    const session = first?.headers["x-hermes-session-id"];
    expect(session).toMatch(/^\d{8}_\d{6}_[0-9a-f]{8}$/u);
    const messages = first?.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(first?.systemText).toContain("You are talking over Telegram");
    telegram.text("and now?");
    await shows("A long answer that grows while it is written.", "Second.");
    expect(remote.requests[1]?.headers["x-hermes-session-id"]).toBe(session);
    expect(remote.requests[1]?.messages.slice(1)).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: "A long answer that grows while it is written." },
      { role: "user", content: "and now?" },
    ]);
  });

  it("says in a few words what went wrong, asks once, and goes on with the next message [40:PRC-45]", async () => {
    await using remote = await startModelServer();
    remote.script(fails(502), says("Here again."));
    const { telegram, texts } = await gatewayOf(remote.chatBaseUrl);
    telegram.text("hi");
    await expect.poll(texts, { timeout: 60_000 }).toEqual([expect.stringContaining("502")]);
    expect(texts()[0]?.length).toBeLessThan(400);
    expect(remote.requests).toHaveLength(1);
    telegram.text("once more");
    await expect.poll(() => texts().at(-1), { timeout: 60_000 }).toBe("Here again.");
  });

  it("drops what an interrupted turn still says, and `/new` is another session there [40:PRC-45] [40:FLW-28]", async () => {
    await using remote = await startModelServer();
    remote.script(slow(says("Old news.")), says("Fresh."), says("New."));
    const { telegram, texts } = await gatewayOf(remote.chatBaseUrl);
    telegram.text("first");
    await remote.received(1);
    telegram.text("no, this");
    await expect.poll(() => texts().at(-1), { timeout: 60_000 }).toBe("Fresh.");
    remote.release(1_000);
    telegram.text("/new");
    telegram.text("hello again");
    await expect.poll(() => texts().at(-1), { timeout: 60_000 }).toBe("New.");
    expect(texts().join()).not.toContain("Old news");
    const sessions = remote.requests.map(({ headers }) => headers["x-hermes-session-id"]);
    expect(sessions[1]).toBe(sessions[0]);
    expect(sessions[2]).not.toBe(sessions[0]);
  });

  it("works through the API server of another Hermes, with the tools and the memory of that one [40:PRC-45]", async () => {
    const other = await otherHermes();
    other.model.script(
      calls("write_file", { path: "tea.txt", content: "Assam" }),
      says("Noted: Assam."),
      says("Assam."),
    );
    const { telegram, shows, home } = await gatewayOf(other.url, { settings: ["display: { tool_progress: off }"] });
    telegram.text("note the tea");
    await shows("Noted: Assam.");
    expect(await other.home.read("tea.txt")).toBe("Assam");
    expect(existsSync(path.join(home.work, "tea.txt"))).toBe(false);
    telegram.text("which tea?");
    await shows("Noted: Assam.", "Assam.");
    // One conversation there, with what its tools gave.
    expect(JSON.stringify(other.model.requests[2]?.body)).toContain("tea.txt");
  });

  it("shows the tools of the other Hermes while they work, and asks in the chat what it asks [40:PRC-46]", async () => {
    const other = await otherHermes();
    await mkdir(path.join(other.home.work, "old"));
    await mkdir(path.join(other.home.work, "older"));
    other.model.script(
      calls("terminal", { command: "rm -rf old" }),
      slow(says("The folder is gone.")),
      calls("terminal", { command: "rm -rf older" }),
      says("Then it stays."),
      calls("clarify", { question: "Which tea?", choices: ["Assam", "Darjeeling"] }),
      says("A good choice."),
    );
    const { telegram, texts } = await gatewayOf(other.url, { settings: ["display: { tool_progress: all }"] });
    const press = async (about: string, index: number): Promise<void> => {
      const asked = () => telegram.shown().find(({ text, buttons }) => text.includes(about) && buttons.length > 0);
      await expect.poll(asked, { timeout: 60_000 }).toBeDefined();
      const { messageId = "", buttons = [] } = asked() ?? {};
      telegram.press(messageId, buttons.at(index) ?? "");
    };
    const ends = (text: string) => expect.poll(() => texts().at(-1), { timeout: 60_000 }).toBe(text);
    telegram.text("clean up");
    await press("rm -rf old", 0);
    // What shows progress may be passed over when the answer is there.
    const isShown = () => texts().some((text) => text.includes("terminal") && text.includes("rm -rf old"));
    await expect.poll(isShown, { timeout: 60_000 }).toBe(true);
    other.model.release(Number.POSITIVE_INFINITY);
    await ends("The folder is gone.");
    expect(JSON.stringify(telegram.calls)).toContain("Always allow");
    expect(existsSync(path.join(other.home.work, "old"))).toBe(false);
    telegram.text("the other one, too");
    await press("rm -rf older", -1);
    await ends("Then it stays.");
    expect(existsSync(path.join(other.home.work, "older"))).toBe(true);
    telegram.text("tea?");
    await press("Which tea?", 1);
    await ends("A good choice.");
    expect(JSON.stringify(other.model.requests.at(-1)?.body)).toContain("Darjeeling");
  });

  it("offers to allow for good to its owner only [40:PRC-46]", async () => {
    const other = await otherHermes();
    other.model.script(calls("terminal", { command: "rm -rf old" }), says("As you like."));
    const { telegram, texts } = await gatewayOf(other.url, { people: ["7", "8"] });
    telegram.text("clean up");
    await expect.poll(() => JSON.stringify(telegram.calls), { timeout: 60_000 }).toContain("Allow for this session");
    expect(JSON.stringify(telegram.calls)).not.toContain("Always allow");
    telegram.text("/deny");
    await expect.poll(() => texts().at(-1), { timeout: 60_000 }).toBe("As you like.");
  });

  it("asks nobody where the key may not answer, and what needs it is denied [40:PRC-46]", async () => {
    const other = await otherHermes({ scopes: ["chat"] });
    await mkdir(path.join(other.home.work, "old"));
    other.model.script(calls("terminal", { command: "rm -rf old" }), says("That was not allowed."));
    const { telegram } = await gatewayOf(other.url, { settings: ["display: { tool_progress: off }"] });
    telegram.text("clean up");
    await expect.poll(() => telegram.shown().at(-1)?.text, { timeout: 60_000 }).toBe("That was not allowed.");
    expect(telegram.shown().flatMap(({ buttons }) => buttons)).toEqual([]);
    expect(existsSync(path.join(other.home.work, "old"))).toBe(true);
  });

  it("is told by the other Hermes that its key is wrong, and repeats no key [40:PRC-45]", async () => {
    const other = await otherHermes();
    const { telegram, texts } = await gatewayOf(other.url, { sentKey: "a-key-that-is-wrong" });
    telegram.text("hi");
    await expect.poll(texts, { timeout: 60_000 }).toEqual([expect.stringContaining("401")]);
    expect(texts().join()).not.toContain("a-key-that-is-wrong");
    expect(other.model.requests).toEqual([]);
  });
});
