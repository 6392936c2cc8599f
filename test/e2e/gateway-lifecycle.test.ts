import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { SessionId } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { Scope } from "#foundation/lifecycle/disposal";
import { systemClock } from "#foundation/time/clock";
import { openStore, type Store } from "#store";
import { goodSummary } from "../../src/agent/compression/testing/builders.ts";
import { calls, says, slow, startModelServer } from "../fakes/model-server/index.ts";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";
import { Stage } from "./support/stage.ts";

const key = "agent:main:telegram:dm:7";
const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

async function stage({ config = "" }: { readonly config?: string } = {}) {
  const scope = new Scope();
  scopes.push(scope);
  const model = scope.adopt(await startModelServer());
  const telegram = scope.adopt(await startTelegramServer());
  const text = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    `telegram: { base_url: "${telegram.url}", allowed_users: ["7"] }`,
    "display: { tool_progress: off }",
    "auxiliary: { title_generation: { enabled: false } }",
    config,
  ].join("\n");
  const home = scope.adopt(await Stage.open({ config: text, env: `TELEGRAM_BOT_TOKEN=${telegram.token}\n` }));
  const shown = () => telegram.shown().map(({ text: said }) => said);
  /** Says something and waits for one of the answers. */
  const say = async (words: string, answer: string | RegExp) => {
    telegram.text(words);
    await expect.poll(() => shown().join("\n"), { timeout: 60_000 }).toMatch(answer);
  };
  /** Looks into the store of the home. */
  const stored = async <T>(look: (store: Store) => Promise<T>): Promise<T> => {
    const file = path.join(home.home, "state.db");
    await using store = await openStore({ path: file }, { clock: systemClock, log: silentLogger });
    return await look(store);
  };
  return { model, telegram, home, shown, say, stored };
}

/** A memory provider with a tool, and plugin hooks, that write down what they are told. */
const diary = `
import { appendFileSync } from "node:fs";
import { join } from "node:path";
let home = "";
const log = (line) => appendFileSync(join(home, "diary.log"), line + "\\n");
class Diary {
  name = "diary";
  isAvailable() { return true; }
  initialize(id, context) { home = context.hermesHome; log("initialize " + id); }
  getToolSchemas() { return [{ name: "diary_note", description: "Notes something", parameters: { type: "object", properties: { text: { type: "string" } } } }]; }
  handleToolCall(name, args) { log("call " + name + " " + args.text); return JSON.stringify({ success: true }); }
  getConfigSchema() { return []; }
  onSessionEnd(messages) { log("end " + messages.length); }
  shutdown() { log("shutdown"); }
}
export function register(context) { context.registerMemoryProvider(new Diary()); }
`;

async function withDiary(home: Stage): Promise<() => Promise<readonly string[]>> {
  const folder = path.join(home.home, "plugins", "memory", "diary");
  await mkdir(folder, { recursive: true });
  const about = "name: diary\nversion: 1.0.0\ndescription: Log.\nkind: exclusive\n";
  await writeFile(path.join(folder, "plugin.yaml"), about);
  await writeFile(path.join(folder, "index.mjs"), diary);
  const log = path.join(home.home, "diary.log");
  return async () => (await readFile(log, "utf8").catch(() => "")).trim().split("\n");
}

const isFlush = (request: { readonly messages: readonly Record<string, unknown>[] }): boolean =>
  JSON.stringify(request.messages.at(-1)?.["content"]).includes("about to be cut off");

describe("the memory of a conversation that ends in a chat", () => {
  const settings = "memory: { provider: diary, flush_min_turns: 1, nudge_interval: 0 }";

  it("is told first, then the model has one chance to note something, while the chat goes on already [40:SES-12] [40:SES-13] [40:SES-14] [40:A-SES-7]", async () => {
    const { model, home, say, shown, stored } = await stage({ config: settings });
    const log = await withDiary(home);
    const note = calls("memory", { action: "add", target: "memory", content: "The port is 8443" });
    model.otherwise((request) => (isFlush(request) ? slow(note) : says("Fine.")));
    home.start(["gateway", "run"]);
    model.script(calls("diary_note", { text: "tea" }), says("First answer."));
    await say("one", "First answer.");
    const [begun = ""] = await log();
    const first = begun.replace("initialize ", "");
    expect(begun).toMatch(/^initialize \d{8}_\d{6}_[0-9a-f]{8}$/u);
    expect(await log()).toContain("call diary_note tea");
    await say("/new", /New session/u);
    // The reply is there; the model is still asked what to remember of the old conversation.
    await expect.poll(() => model.requests.filter(isFlush).length, { timeout: 60_000 }).toBe(1);
    const memory = path.join(home.home, "memories", "MEMORY.md");
    expect(await readFile(memory, "utf8").catch(() => "")).not.toContain("8443");
    const before = await log();
    expect(before.slice(-3)).toEqual(["end 4", "shutdown", expect.stringMatching(/^initialize /u)]);
    expect(before.at(-1)).not.toBe(begun);
    const flush = model.requests.find(isFlush);
    expect(flush?.toolNames).toEqual(["memory"]);
    expect(JSON.stringify(flush?.messages)).toContain("First answer.");
    model.release(1_000);
    await expect.poll(() => readFile(memory, "utf8").catch(() => ""), { timeout: 60_000 }).toContain("8443");
    model.script(says("Second answer."));
    await say("two", "Second answer.");
    expect(shown().join("\n")).not.toContain("8443");
    await stored(async (store) => {
      expect(await store.sessions.get(first as SessionId)).toMatchObject({ endReason: "session_reset" });
      expect(JSON.stringify(await store.messages.conversation(first as SessionId))).not.toContain("cut off");
    });
  }, 180_000);

  it("has that chance also when the conversation ends because it rested, with all that was said [40:SES-9] [40:SES-12] [40:A-MNT-4]", async () => {
    const { model, home, say, shown, stored } = await stage({
      config: `${settings}\nsession_reset: { mode: idle, idle_minutes: 60 }`,
    });
    await withDiary(home);
    const note = calls("memory", { action: "add", target: "memory", content: "The port is 8443" });
    let flushes = 0;
    model.otherwise((request) => {
      if (!isFlush(request)) return says("Fine.");
      flushes += 1;
      return flushes === 1 ? note : says("Done.");
    });
    home.start(["gateway", "run"]);
    model.script(says("It is 8443."));
    await say("which port?", "It is 8443.");
    const first = await stored(async (store) => {
      const route = await store.routes.get(key);
      if (route === undefined) throw new Error("no route");
      await store.routes.put({ ...route, updatedAtMs: route.updatedAtMs - 2 * 3_600_000 });
      const entry = { platform: "telegram", account: "42", sessionKey: key, kind: "control" as const };
      await store.inbox.admit({ ...entry, dedupKey: "rested", event: { control: "expire" } });
      return route.sessionId;
    });
    const memory = path.join(home.home, "memories", "MEMORY.md");
    await expect.poll(() => readFile(memory, "utf8").catch(() => ""), { timeout: 60_000 }).toContain("8443");
    expect(JSON.stringify(model.requests.find(isFlush)?.messages)).toContain("which port?");
    const row = () => stored((store) => store.sessions.get(first));
    await expect.poll(async () => (await row())?.endReason, { timeout: 60_000 }).toBe("session_reset");
    // Nobody was disturbed.
    expect(shown()).toEqual(["It is 8443."]);
  }, 180_000);

  it("is told when the chat goes on in another conversation, which has its end until it is resumed [40:SES-12] [40:SES-11]", async () => {
    const { model, home, say, stored } = await stage({ config: settings });
    const log = await withDiary(home);
    model.otherwise(says("Fine."));
    home.start(["gateway", "run"]);
    model.script(says("First answer."));
    await say("one", "First answer.");
    const first = ((await log())[0] ?? "").replace("initialize ", "");
    await say("/new", /New session/u);
    model.script(says("Second answer."));
    await say("two", "Second answer.");
    const second = ((await log()).filter((line) => line.startsWith("initialize")).at(-1) ?? "").replace(
      "initialize ",
      "",
    );
    await say(`/resume ${first}`, /You are now in/u);
    const flushed = () =>
      model.requests.filter((request) => isFlush(request) && JSON.stringify(request).includes("Second answer."));
    await expect.poll(() => flushed().length, { timeout: 60_000 }).toBe(1);
    expect((await log()).filter((line) => line.startsWith("end "))).toHaveLength(2);
    const end = await stored(async (store) => (await store.sessions.get(second as SessionId))?.endReason);
    expect(end).toBe("session_switch");
    model.script(says("Third answer."));
    await say("three", "Third answer.");
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("First answer.");
    expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain("Second answer.");
  }, 180_000);
});

describe("a conversation that has become too long", () => {
  it("is compressed before its turn, and the chat goes on in the new part of it [40:SES-15] [40:SES-11] [40:A-SES-9] [40:A-SES-10] [40:A-CMD-7]", async () => {
    const { model, home, say, stored } = await stage({
      config: "memory: { flush_min_turns: 0 }\ncompression: { threshold: 0.85 }",
    });
    // Whoever is offered no tools is asked for a summary.
    model.onRequest((request) => {
      if (isFlush(request)) return says("Nothing more.");
      return request.toolNames.length === 0 ? says(goodSummary("Tea.")) : undefined;
    });
    home.start(["gateway", "run"]);
    const tell = async (turn: number, input: number, words = `turn ${turn}`) => {
      model.script(says(`Answer ${turn}.`, { usage: { input, cacheRead: 0, cacheWrite: 0 } }));
      await say(words, `Answer ${turn}.`);
    };
    for (let turn = 0; turn < 6; turn += 1) await tell(turn, 20_000, "a long story about tea ".repeat(150));
    await say("/title Plan", /Plan/u);
    const at = async () => await stored(async (store) => (await store.routes.get(key))?.sessionId);
    const old = await at();
    await tell(6, 100_000);
    await tell(7, 110_000);
    expect(await at()).toBe(old);
    expect(model.requests.some(({ toolNames }) => toolNames.length === 0)).toBe(false);
    await tell(8, 20_000);
    expect(model.requests.some(({ toolNames }) => toolNames.length === 0)).toBe(true);
    const now = await at();
    expect(now).not.toBe(old);
    await stored(async (store) => {
      expect(old === undefined ? undefined : await store.sessions.get(old)).toMatchObject({ endReason: "compression" });
      expect(now === undefined ? undefined : await store.sessions.get(now)).toMatchObject({ parentSessionId: old });
    });
    model.script(says("In the new part."));
    await say("and then?", "In the new part.");
    expect(await at()).toBe(now);
    // By its title the newest part is found.
    await say("/new", /New session/u);
    await say("/resume Plan", /You are now in/u);
    expect(await at()).toBe(now);
  }, 240_000);
});
