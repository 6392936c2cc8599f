import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { SessionId } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { Scope } from "#foundation/lifecycle/disposal";
import { systemClock } from "#foundation/time/clock";
import { openStore } from "#store";
import { calls, fails, hang, says, startModelServer } from "../fakes/model-server/index.ts";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";
import { Stage } from "./support/stage.ts";

const key = "agent:main:telegram:dm:7";
const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

async function stage(config = "", titles = false) {
  const scope = new Scope();
  scopes.push(scope);
  const model = scope.adopt(await startModelServer());
  const telegram = scope.adopt(await startTelegramServer());
  const text = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    "providers: { custom: { key_env: TEA_KEY } }",
    `telegram: { base_url: "${telegram.url}", allowed_users: ["7"] }`,
    "display: { tool_progress: off }",
    `auxiliary: { title_generation: { enabled: ${titles} } }`,
    config,
  ].join("\n");
  const env = `TELEGRAM_BOT_TOKEN=${telegram.token}\nTEA_KEY=sk-tea-1234567890abcdef1234567890\n`;
  const home = scope.adopt(await Stage.open({ config: text, env }));
  const shown = () => telegram.shown().map(({ text: said }) => said);
  const sees = (words: string | RegExp) => expect.poll(() => shown().join("\n"), { timeout: 60_000 }).toMatch(words);
  const last = () => JSON.stringify(model.requests.at(-1)?.messages);
  return { model, telegram, home, shown, sees, last };
}

describe("a turn in a chat", () => {
  it("gives its commands the chat they work for, and this process none; its conversation gets a title [40:FLW-36] [40:SES-16]", async () => {
    const { model, telegram, home, sees, last } = await stage("", true);
    model.onRequest(({ toolNames }) => (toolNames.length === 0 ? says("About tea") : undefined));
    const words = 'echo "<$HERMES_SESSION_PLATFORM|$HERMES_SESSION_CHAT_ID|$HERMES_SESSION_USER_ID>"';
    model.script(calls("terminal", { command: words }), says("Done."));
    const gateway = home.start(["gateway", "run"]);
    telegram.text("where am I?");
    await sees("Done.");
    const result = JSON.stringify(
      model.requests.map(({ messages }) => messages.findLast(({ role }) => role === "tool")),
    );
    expect(result).toContain("<telegram|7|7>");
    expect(await readFile(`/proc/${gateway.pid}/environ`, "utf8")).not.toContain("HERMES_SESSION_");
    const title = async () => {
      const options = { clock: systemClock, log: silentLogger };
      await using store = await openStore({ path: path.join(home.home, "state.db") }, options);
      const id = (await store.routes.get(key))?.sessionId;
      return id === undefined ? undefined : (await store.sessions.get(id as SessionId))?.title;
    };
    await expect.poll(title, { timeout: 60_000 }).toBe("About tea");
    expect(last()).not.toContain("sk-tea");
  }, 120_000);

  it("that fails ends in a sentence without keys and without a stack [40:STR-14]", async () => {
    const { model, telegram, home, sees, shown } = await stage();
    const gateway = home.start(["gateway", "run"]);
    const echo = `Incorrect key sk-tea-1234567890abcdef1234567890 ${"in a long story ".repeat(100)}`;
    model.otherwise(fails(401, { message: echo }));
    telegram.text("hello");
    await sees(/key|credential/iu);
    expect(shown().join("\n")).not.toContain("sk-tea-1234567890abcdef1234567890");
    expect(shown().join("\n")).not.toMatch(/\n\s+at /u);
    expect(shown().join("\n").length).toBeLessThan(900);
    gateway.kill("SIGKILL");
    await once(gateway, "exit");
  }, 180_000);

  it("without an answer says so, and sends nothing empty [40:FLW-40]", async () => {
    const { model, telegram, home, sees, shown } = await stage();
    home.start(["gateway", "run"]);
    model.otherwise(says(""));
    telegram.text("hello");
    await sees(/returned nothing|no answer/iu);
    expect(shown().filter((text) => text.trim() === "")).toEqual([]);
    model.script(says("I am back."));
    telegram.text("and now?");
    await sees("I am back.");
  }, 180_000);

  it("asks for a kind of command once where the session was allowed it, and again in the next session [40:A-STR-8]", async () => {
    const { model, telegram, home, sees, shown } = await stage();
    const asks = () => telegram.shown().filter(({ buttons }) => buttons.length > 0).length;
    const remove = (name: string) => calls("terminal", { command: `rm -rf ./${name}` });
    model.script(remove("one"), remove("two"), says("Both are gone."));
    home.start(["gateway", "run"]);
    telegram.text("clean up");
    await expect.poll(asks, { timeout: 60_000 }).toBe(1);
    telegram.text("/approve session");
    await sees("Both are gone.");
    expect(shown().filter((text) => text.includes("rm -rf"))).toHaveLength(1);
    telegram.text("/new");
    await sees("New session");
    model.script(remove("three"), says("Gone, too."));
    telegram.text("clean up again");
    await expect.poll(asks, { timeout: 60_000 }).toBe(1);
    telegram.text("/deny");
    await sees("Gone, too.");
  }, 120_000);

  it("goes on when nobody decides in time, and the model is told so [40:A-STR-10]", async () => {
    const { model, telegram, home, sees, last } = await stage("approvals: { gateway_timeout: 1 }");
    model.script(calls("terminal", { command: "rm -rf ./build" }), says("Then I leave it."));
    home.start(["gateway", "run"]);
    telegram.text("clean up");
    await sees("Then I leave it.");
    expect(last()).toMatch(/Nobody answered within 1 s/u);
  }, 120_000);
});

const plugin = `
export function register(context) {
  context.registerHook("pre_gateway_dispatch", ({ event }) => {
    if (event.text === "spam") return { action: "skip", reason: "spam" };
    if (event.text === "helo") return { action: "rewrite", text: "hello from " + event.source.platform };
  });
}
`;

it("plugins hear of a message before anything else is done with it [40:HOK-10] [40:FLW-2]", async () => {
  const { model, telegram, home, sees, last } = await stage("plugins: { enabled: [porter] }");
  const folder = path.join(home.home, "plugins", "porter");
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "plugin.yaml"), "name: porter\nversion: 1.0.0\ndescription: At the door.\n");
  await writeFile(path.join(folder, "index.mjs"), plugin);
  model.script(says("Hi."));
  home.start(["gateway", "run"]);
  telegram.text("helo");
  await sees("Hi.");
  expect(last()).toContain("hello from telegram");
  telegram.text("spam");
  telegram.text("/title");
  // The conversation is called by its first words.
  await sees("hello from telegram");
  expect(model.requests).toHaveLength(1);
}, 120_000);

it("a crash while the model looks through an old conversation does not make it look twice [40:A-SES-8]", async () => {
  const { model, telegram, home, sees } = await stage("memory: { flush_min_turns: 1, nudge_interval: 0 }");
  const flushes = () =>
    model.requests.filter(({ messages }) => JSON.stringify(messages.at(-1)).includes("about to be cut off"));
  model.onRequest(({ messages }) =>
    JSON.stringify(messages.at(-1)).includes("about to be cut off") ? hang() : undefined,
  );
  model.script(says("First."));
  const first = home.start(["gateway", "run"]);
  telegram.text("one");
  await sees("First.");
  telegram.text("/new");
  await sees("New session");
  await expect.poll(() => flushes().length, { timeout: 60_000 }).toBe(1);
  first.kill("SIGKILL");
  await once(first, "exit");
  model.script(says("Second."));
  home.start(["gateway", "run"]);
  telegram.text("two");
  await sees("Second.");
  expect(flushes()).toHaveLength(1);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain("First.");
}, 120_000);

it("what Telegram delivers twice, does not understand or is too busy for is answered once [40:A-TG-1] [40:A-TG-5] [40:A-TG-6]", async () => {
  const { model, telegram, home, sees, shown } = await stage();
  model.script(says("One *answer*."), says("Another."));
  home.start(["gateway", "run"]);
  const status = (code: number, description: string, retryAfter?: number) =>
    ({ kind: "status", status: code, description, ...(retryAfter === undefined ? {} : { retryAfter }) }) as const;
  telegram.trouble("sendMessage", status(400, "Bad Request: can't parse entities: byte 4"));
  const update = telegram.text("hello");
  await sees("One");
  const sends = () => telegram.calls.filter(({ method }) => method === "sendMessage");
  expect(sends()).toHaveLength(2);
  expect(sends()[0]?.body["parse_mode"]).toBeDefined();
  expect(sends()[1]?.body["parse_mode"]).toBeUndefined();
  const person = { id: 7, is_bot: false, first_name: "Ann" };
  const again = { message_id: 900, date: 0, chat: { id: 7, type: "private" }, from: person, text: "hello" };
  telegram.update({ message: again }, update);
  telegram.trouble("sendMessage", status(429, "Too Many Requests: retry after 3", 3));
  const refusedAtMs = Date.now();
  telegram.text("more");
  await sees("Another.");
  expect(Date.now() - refusedAtMs).toBeGreaterThanOrEqual(3_000);
  expect(shown()).toHaveLength(2);
  expect(model.requests).toHaveLength(2);
}, 120_000);
