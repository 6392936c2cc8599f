import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { silentLogger } from "#foundation/files/logger";
import { Scope } from "#foundation/lifecycle/disposal";
import { systemClock } from "#foundation/time/clock";
import { openStore } from "#store";
import { calls, fails, hang, type ReceivedRequest, says, slow, startModelServer } from "../fakes/model-server/index.ts";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";
import { Stage } from "./support/stage.ts";

const key = "agent:main:telegram:dm:7";
const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

async function stage(telegramSettings = "", ...more: readonly string[]) {
  const scope = new Scope();
  scopes.push(scope);
  const model = scope.adopt(await startModelServer());
  const telegram = scope.adopt(await startTelegramServer());
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    `telegram: { base_url: "${telegram.url}", allowed_users: ["7", "8"] ${telegramSettings} }`,
    "gateway: { admin_users: ['7'] }",
    "display: { tool_progress: off }",
    "auxiliary: { title_generation: { enabled: false } }",
    ...more,
  ].join("\n");
  const home = scope.adopt(await Stage.open({ config, env: `TELEGRAM_BOT_TOKEN=${telegram.token}\n` }));
  const write = async (name: string, text: string): Promise<void> => {
    const file = path.join(home.home, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  const start = () => home.start(["gateway", "run"]);
  const shown = () => telegram.shown().map(({ text }) => text);
  const sees = (words: string) => expect.poll(() => shown().join("\n"), { timeout: 60_000 }).toContain(words);
  const transcript = async () => {
    const options = { clock: systemClock, log: silentLogger };
    await using store = await openStore({ path: path.join(home.home, "state.db") }, options);
    const id = (await store.routes.get(key))?.sessionId;
    return id === undefined ? [] : await home.messages(id);
  };
  return { model, telegram, home, write, start, shown, sees, transcript };
}

const wordsOf = (request: ReceivedRequest | undefined, role: string): string =>
  JSON.stringify(request?.messages.filter((message) => message["role"] === role));

describe("what a model is told about a chat", { timeout: 120_000 }, () => {
  it("is the chat, its channel's instructions and those of the settings, in this order and in no transcript [40:FLW-33] [40:FLW-35]", async () => {
    const { model, telegram, write, start, sees, transcript } = await stage(
      ', channel_prompts: { "7": "Answer in rhymes." }',
      "agent: { system_prompt: Mention no numbers., prefill_messages_file: prefill.json }",
      "platforms: { telegram: { home_channel: { platform: telegram, chat_id: '9', name: The team } } }",
    );
    await write(
      "prefill.json",
      JSON.stringify([
        { role: "user", content: "Be brief." },
        { role: "assistant", content: "I will." },
      ]),
    );
    model.script(says("One."), says("Two."));
    start();
    telegram.text("hello");
    await sees("One.");
    telegram.text("and?");
    await sees("Two.");
    for (const request of model.requests) {
      const system = wordsOf(request, "system");
      const places = ["You are talking over Telegram", "home channel (The team)", "Answer in rhymes.", "no numbers"];
      const found = places.map((words) => system.indexOf(words));
      expect(found).not.toContain(-1);
      expect(found).toEqual(found.toSorted((one, other) => one - other));
      const roles = request.messages.slice(1, 3).map(({ role, content }) => `${String(role)}: ${String(content)}`);
      expect(roles).toEqual(["user: Be brief.", "assistant: I will."]);
    }
    const stored = JSON.stringify(await transcript());
    expect(stored).toContain("hello");
    for (const words of ["Answer in rhymes", "no numbers", "Be brief"]) expect(stored).not.toContain(words);
  });

  it("is once that nobody knows it yet, and how a chat becomes the one for results [40:FLW-37]", async () => {
    const { model, telegram, start, sees } = await stage();
    model.script(says("I am Hermes."), says("Again."), says("Hello, eight."));
    start();
    telegram.text("hello");
    await sees("I am Hermes.");
    telegram.text("hello again");
    await sees("Again.");
    telegram.text("good day", { chatId: 8, from: 8 });
    await sees("Hello, eight.");
    const [first, second, other] = model.requests.map(({ messages }) => String(messages.at(-1)?.["content"]));
    expect(first).toMatch(/first message anybody has written to you .*\/help/u);
    expect(first).toContain("/sethome");
    expect(second).toBe("hello again");
    expect(other).toBe("good day");
  });
});

describe("a change of the model in a chat", { timeout: 120_000 }, () => {
  it("keeps the terminal of the conversation with what was set in it [40:FLW-44]", async () => {
    const { model, telegram, start, sees, shown } = await stage();
    model.script(
      calls("terminal", { command: "mkdir -p deep && cd deep && export TEA=green" }),
      says("Set."),
      calls("terminal", { command: 'echo "<$(basename "$PWD")|$TEA>"' }),
      says("Still there."),
    );
    start();
    telegram.text("set it");
    await sees("Set.");
    // The turn may end a moment after its answer is there, and is told to be running until then.
    const changed = () => {
      telegram.text("/model custom:other-model");
      return shown().join("\n");
    };
    await expect.poll(changed, { timeout: 60_000, interval: 1_000 }).toContain("other-model");
    telegram.text("is it there?");
    await sees("Still there.");
    const last = model.requests.at(-1);
    expect(last?.body).toMatchObject({ model: "other-model" });
    expect(wordsOf(last, "tool")).toContain("<deep|green>");
  });
});

describe("a turn", { timeout: 120_000 }, () => {
  it("that a refused login ends is explained, and only the words of the person are kept of it [40:FLW-39] [40:A-FLW-13]", async () => {
    const { model, telegram, start, sees, shown, transcript } = await stage();
    model.script(says("Fine."), fails(401, { message: "Incorrect API key" }), says("Fine again."));
    start();
    telegram.text("hello");
    await sees("Fine.");
    telegram.text("and now?");
    await expect.poll(() => shown().join("\n"), { timeout: 60_000 }).toMatch(/key|credential|log ?in/iu);
    const kept = (await transcript()).slice(2).map(({ role, content }) => `${role}: ${String(content)}`);
    expect(kept).toEqual(["user: and now?"]);
    telegram.text("/continue");
    await sees("Fine again.");
    expect(wordsOf(model.requests.at(-1), "user")).toContain("and now?");
  });

  it("that hangs in a tool that never lets go is ended, and the next message is answered [40:FLW-29] [40:A-FLW-15]", async () => {
    const { model, telegram, write, start, sees } = await stage(
      "",
      "agent: { gateway_timeout: 1 }",
      "plugins: { enabled: [deaf] }",
    );
    await write("plugins/deaf/plugin.yaml", "name: deaf\nversion: 1.0.0\ndescription: Hears nothing.\n");
    await write(
      "plugins/deaf/index.mjs",
      `export function register(context) {
        context.registerTool({ name: "listen", toolset: "deaf", schema: { type: "object", properties: {} },
          description: "Listens for ever", handler: () => new Promise(() => undefined) });
      }`,
    );
    model.script(calls("listen", {}), says("Here I am."));
    start();
    telegram.text("listen");
    await sees("so I stopped");
    telegram.text("are you there?");
    await sees("Here I am.");
  });

  it("that is only beginning lets further words wait for it, and /stop calls it off [40:FLW-22]", async () => {
    const gate = path.join(tmpdir(), `hermes-gate-${process.pid}`);
    const listen = `touch ${gate}-began; until [ -e ${gate}-open ]; do sleep 0.05; done; echo what is for tea`;
    const { model, telegram, start, sees, shown } = await stage(
      "",
      `stt: { provider: local, local: { command: [sh, -c, ${JSON.stringify(listen)}] } }`,
    );
    const set = (name: string, isThere: boolean): Promise<unknown> =>
      isThere ? writeFile(`${gate}-${name}`, "") : rm(`${gate}-${name}`, { force: true });
    const voice = async (): Promise<void> => {
      await set("began", false);
      await set("open", false);
      const file = telegram.file(Buffer.from("OggS words"));
      telegram.text("", { more: { text: undefined, voice: { file_id: file, file_unique_id: file, duration: 1 } } });
      await expect.poll(() => existsSync(`${gate}-began`), { timeout: 60_000 }).toBe(true);
    };
    const writes = async (text: string): Promise<void> => {
      const update = telegram.text(text);
      await expect.poll(() => telegram.confirmedUpTo(), { timeout: 60_000 }).toBeGreaterThanOrEqual(update);
    };
    try {
      model.script(says("Green tea."), says("And cake."));
      start();
      await voice();
      await writes("and to eat?");
      await set("open", true);
      await sees("And cake.");
      expect(shown()).toEqual(["Green tea.", "And cake."]);
      await voice();
      await writes("/stop");
      // The transcription still waits.
      await sees("I stopped before I began.");
      expect(model.requests).toHaveLength(2);
      model.script(says("Still here."));
      telegram.text("are you there?");
      await sees("Still here.");
      expect(model.requests).toHaveLength(3);
    } finally {
      for (const name of ["began", "open"]) await set(name, false);
    }
  });
});

describe("the tokens of a conversation", { timeout: 120_000 }, () => {
  it("are those of its calls, each counted once, though a kill cut a turn off [40:SES-4]", async () => {
    const usage = { input: 100, output: 10 };
    const { model, telegram, home, start, sees } = await stage();
    model.script(says("One.", { usage }), calls("todo", { todos: [] }, { usage }), hang(), says("Two.", { usage }));
    const first = start();
    telegram.text("one");
    await sees("One.");
    telegram.text("two");
    await model.received(3);
    first.kill("SIGKILL");
    await once(first, "exit");
    start();
    await sees("Two.");
    const counted = async () => {
      const options = { clock: systemClock, log: silentLogger };
      await using store = await openStore({ path: path.join(home.home, "state.db") }, options);
      const id = (await store.routes.get(key))?.sessionId;
      const session = id === undefined ? undefined : await store.sessions.get(id);
      return [session?.usage.input, session?.usage.output, session?.apiCallCount];
    };
    await expect.poll(counted, { timeout: 60_000 }).toEqual([300, 30, 3]);
  });
});

describe("what was done after a turn", { timeout: 120_000 }, () => {
  const note = () => calls("memory", { action: "add", target: "memory", content: "Ann likes tea." });
  const isReview = ({ messages }: ReceivedRequest): boolean =>
    JSON.stringify(messages.at(-1)).includes("nobody is waiting") ||
    JSON.stringify(messages).includes("Pause the conversation");

  it("is told after the answer, and not where the conversation has gone on [40:STR-12]", async () => {
    const { model, telegram, start, sees, shown } = await stage("", "memory: { nudge_interval: 1 }");
    const reviews: ReceivedRequest[] = [];
    model.onRequest((request) => {
      if (!isReview(request)) return undefined;
      reviews.push(request);
      if (reviews.length === 1) return note();
      return reviews.length === 3 ? slow(note()) : says("Nothing more.");
    });
    model.script(says("Noted."), says("Second."), hang());
    start();
    telegram.text("I like tea");
    await sees("Background review: 1 note updated");
    expect(shown()).toEqual(["Noted.", "Background review: 1 note updated"]);
    telegram.text("and cake");
    await expect.poll(() => reviews.length, { timeout: 60_000 }).toBe(3);
    const before = model.requests.length;
    telegram.text("and now?");
    await expect.poll(() => model.requests.length, { timeout: 60_000 }).toBe(before + 1);
    // The review ends while the third turn runs.
    model.release(Number.POSITIVE_INFINITY);
    await expect.poll(() => reviews.length, { timeout: 60_000 }).toBe(4);
    telegram.text("/stop");
    await sees("The turn was stopped.");
    expect(shown().filter((text) => text.startsWith("Background review"))).toHaveLength(1);
  });
});

describe("commands in a chat", { timeout: 120_000 }, () => {
  it("may be one's own: a program answers, and no model [40:CMD-5] [40:A-CMD-8]", async () => {
    const { model, telegram, start, sees } = await stage(
      "",
      'quick_commands: { uptime: { type: exec, command: "echo up for $((40 + 2)) days" } }',
    );
    start();
    telegram.text("/uptime");
    await sees("up for 42 days");
    expect(model.requests).toEqual([]);
  });

  it("fill Telegram's menu: the own ones first, then as many skills as there is room for, none twice [40:CMD-8] [40:A-CMD-11]", async () => {
    const { telegram, write, start } = await stage();
    for (let number = 100; number < 250; number += 1)
      await write(
        `skills/own/craft-${number}/SKILL.md`,
        `---\nname: craft-${number}\ndescription: A craft with a description that is much too long for a menu\n---\nDo it.\n`,
      );
    start();
    const menus = () => telegram.calls.filter(({ method }) => method === "setMyCommands");
    await expect.poll(() => menus().length, { timeout: 60_000 }).toBe(1);
    const commands = menus()[0]?.body["commands"] as readonly {
      readonly command: string;
      readonly description: string;
    }[];
    const names = commands.map(({ command }) => command);
    expect(names).toHaveLength(100);
    expect(new Set(names).size).toBe(100);
    expect(names).toEqual(expect.arrayContaining(["new", "pair", "reload_mcp", "craft_100"]));
    expect(names.every((name) => /^[a-z0-9_]{1,32}$/u.test(name))).toBe(true);
    const skills = commands.filter(({ command }) => command.startsWith("craft_"));
    expect(skills.every(({ description }) => description.length <= 40)).toBe(true);
    expect(names.indexOf("new")).toBeLessThan(names.indexOf("craft_100"));
  });
});
