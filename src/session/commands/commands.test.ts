import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it } from "vitest";
import { newToolCall, type SessionId } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { HermesHome } from "#foundation/files/paths";
import { Deferred } from "#foundation/lifecycle/deferred";
import { systemClock } from "#foundation/time/clock";
import { openStore } from "#store";
import { says, slow } from "../../../test/fakes/model-server/index.ts";
import type { Preferences } from "../services/preferences.ts";
import { command, type HarnessOptions, openHarness, say } from "../testing/harness.ts";
import { textsOf } from "../testing/test-agent.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function harness(input: HarnessOptions = {}) {
  const one = await openHarness(input);
  open.push(one);
  return one;
}

function preferences() {
  const saved: [string, string | boolean][] = [];
  const all: Preferences = {
    describe: () => Promise.resolve([["model.default", "opus"]]),
    settings: () => Promise.resolve([]),
    save: (key, value) => Promise.resolve(void saved.push([key, value])),
    reload: () => Promise.resolve("3 variables read."),
  };
  return { saved, all };
}

describe("commands during a turn", () => {
  it("in a chat: /model is refused, the turn goes on, and nothing is stored of it [20:A9.4] [20:R9.2]", async () => {
    const { open, server } = await harness();
    server.script(slow(says("Still here.")));
    const session = await open({ source: "telegram" });
    const running = await session.submit({ text: "Go" });
    await server.received(1);
    expect(await command(session, "/model x")).toMatch(/A turn is running/);
    expect(await command(session, "/status")).toContain("a turn");
    server.release(1_000);
    expect(running.kind === "turn" && (await running.ended)).toMatchObject({
      text: "Still here.",
      model: "test-model",
    });
    expect(textsOf(session.history)).toEqual(["Go", "Still here."]);
  });

  it("at a terminal: /model takes effect when the turn is over [20:R9.2]", async () => {
    const { open, server, events } = await harness();
    server.script(slow(says("One.")), says("Two."));
    const session = await open();
    const running = await session.submit({ text: "Go" });
    await server.received(1);
    expect(await command(session, "/model big-model")).toContain("when this turn ends");
    server.release(1_000);
    if (running.kind === "turn") await running.ended;
    await session.settled();
    expect((await say(session, "Again")).model).toBe("big-model");
    expect(events).toContainEqual({ type: "notice", level: "info", text: "Model: big-model" });
  });

  it("/new stops the turn first, and begins an empty session [20:R9.2]", async () => {
    const flushed: string[] = [];
    const models: (string | undefined)[] = [];
    const { open, server, store, events } = await harness({
      onOpen: ({ options }) => void models.push(options.model),
      services: () => ({ memory: { flush: (reason) => Promise.resolve(void flushed.push(reason)) } }),
    });
    server.script(says("Hi"), slow(says("Never.")), says("Fresh."));
    const session = await open();
    await say(session, "Hello");
    const before = session.info.id;
    await session.submit({ text: "Long" });
    await server.received(2);
    expect(await command(session, "/new")).toContain(before);
    expect(session.info.id).not.toBe(before);
    expect(session.history).toEqual([]);
    expect(flushed).toEqual(["reset"]);
    expect(await store.sessions.get(before)).toMatchObject({ endReason: "session_reset" });
    expect(events.at(-1)).toMatchObject({ type: "session-changed", info: { id: session.info.id } });
    await command(session, "/model other-model");
    await command(session, "/new");
    expect(models).toEqual([undefined, undefined, "other-model"]);
    expect((await say(session, "Start")).text).toBe("Fresh.");
    expect(textsOf(await store.messages.conversation(before))).not.toContain("Start");
  });
});

describe("a message while a new session is being made", () => {
  it("waits for it and begins it", async () => {
    const flushing = new Deferred<void>();
    const mayGoOn = new Deferred<void>();
    const { open, server, store } = await harness({
      services: () => ({
        memory: {
          flush: () => {
            flushing.resolve();
            return mayGoOn.promise;
          },
        },
      }),
    });
    server.script(says("Hi"), says("Fresh."));
    const session = await open();
    await say(session, "Hello");
    const before = session.info.id;
    const moving = command(session, "/new");
    await flushing.promise;
    const early = await session.submit({ text: "First words" });
    mayGoOn.resolve();
    await moving;
    expect(early.kind === "turn" && (await early.ended)).toMatchObject({ text: "Fresh.", sessionId: session.info.id });
    expect(session.info.id).not.toBe(before);
    expect(textsOf(await store.messages.conversation(session.info.id))).toEqual(["First words", "Fresh."]);
  });
});

describe("commands on the conversation", () => {
  it("/undo takes the last exchange back, also in the store", async () => {
    const { open, server, store } = await harness();
    server.script(says("One."), says("Two."));
    const session = await open();
    await say(session, "First");
    await say(session, "Second");
    expect(await command(session, "/undo")).toContain("Second");
    expect(textsOf(session.history)).toEqual(["First", "One."]);
    expect(textsOf(await store.messages.conversation(session.info.id))).toEqual(["First", "One."]);
    await command(session, "/undo");
    expect(await command(session, "/undo")).toMatch(/nothing to undo/i);
  });

  it("/retry sends the last message again in place of its answer", async () => {
    const { open, server } = await harness();
    server.script(says("Bad."), says("Good."));
    const session = await open();
    await say(session, "Question");
    expect(await command(session, "/retry")).toBe("Good.");
    expect(textsOf(session.history)).toEqual(["Question", "Good."]);
  });

  it("/title is kept until the first message; one that is taken is refused by name [20:A9.9] [10:STORE-12]", async () => {
    const { open, server, store } = await harness();
    const other = "20260101_000000_0badf00d" as SessionId;
    await store.messages.append(other, [{ role: "user", content: "x" }]);
    await store.sessions.setTitle(other, "Taken");
    server.script(says("Hi"));
    const session = await open();
    expect(await command(session, "/title Taken")).toContain(other);
    expect(await command(session, "/title My work")).toContain("saved with the first message");
    expect(session.info.title).toBe("My work");
    expect(await store.sessions.list({ source: "cli" })).toEqual([]);
    await say(session, "Hello");
    expect((await store.sessions.get(session.info.id))?.title).toBe("My work");
    expect(await command(session, "/title Taken")).toContain(other);
    expect(await command(session, "/title")).toBe("My work");
    expect(await command(session, `/title ${"x".repeat(101)}`)).toContain("101");
  });

  it("/branch copies the conversation and hands over to the copy", async () => {
    const { open, server, store } = await harness();
    server.script(says("Hi"), says("Other way."));
    const session = await open({ title: "Plan" });
    await say(session, "Hello");
    const { id } = JSON.parse(await command(session, "/branch")) as { id: SessionId };
    expect(await store.sessions.get(id)).toMatchObject({ title: "Plan #2", lineage: "branch" });
    const copy = await open({ resume: id });
    await say(copy, "Differently");
    expect(textsOf(copy.history)).toEqual(["Hello", "Hi", "Differently", "Other way."]);
    expect(await store.messages.count(session.info.id)).toBe(2);
    expect(await store.sessions.get(session.info.id)).toMatchObject({ endReason: "branched" });
  });

  it("/resume lists sessions, and goes to the one that is meant", async () => {
    const { open, store } = await harness();
    const other = "20260101_000000_0badf00d" as SessionId;
    await store.messages.append(other, [{ role: "user", content: "Old words" }], { source: "cli" });
    const session = await open();
    expect(await command(session, "/resume")).toContain("Old words");
    expect(await command(session, "/sessions")).toContain(other);
    expect(JSON.parse(await command(session, "/resume 20260101"))).toEqual({ do: "switch-session", id: other });
    expect(await command(session, "/resume nobody")).toContain("There is no session nobody");
  });

  it("/rollback restores files and takes the last exchange back when that made the change [20:R11.19]", async () => {
    const restored: string[] = [];
    let turn: string | undefined;
    const { open, server } = await harness({
      services: () => ({
        checkpoints: {
          list: () =>
            Promise.resolve([{ id: "abcdef0123", atMs: Date.now(), reason: "write_file", turn, differing: 3 }]),
          diff: () => Promise.resolve(Array.from({ length: 100 }, (_, line) => `+${line}`).join("\n")),
          restore: (id, file) => {
            restored.push(`${id} ${file ?? "all"}`);
            return Promise.resolve("2 files restored.");
          },
          undo: () => Promise.resolve(undefined),
          takenBack: () => undefined,
        },
      }),
    });
    server.script(says("One."), says("Two."));
    const session = await open();
    await say(session, "First");
    await say(session, "Second");
    expect(await command(session, "/rollback")).toContain("abcdef01");
    const diff = await command(session, "/rollback diff 1");
    expect(diff).toContain("+79");
    expect(diff).not.toContain("+80\n");
    expect(await command(session, "/rollback 1 src/a b.ts")).toBe("2 files restored.");
    expect(session.history).toHaveLength(4);
    turn = session.history.find(({ role }) => role === "user")?.uid;
    expect(await command(session, "/rollback 1")).toBe("2 files restored. The conversation stays as it is.");
    expect(session.history).toHaveLength(4);
    turn = session.history.findLast(({ role }) => role === "user")?.uid;
    expect(await command(session, "/rollback 1")).toContain("taken back");
    expect(textsOf(session.history)).toEqual(["First", "One."]);
    expect(restored).toEqual(["abcdef0123 src/a b.ts", "abcdef0123 all", "abcdef0123 all"]);
    expect(await command(session, "/rollback 7")).toContain("between 1 and 1");
  });

  it("/save and /history show what was said", async () => {
    const { open, server, folder } = await harness();
    server.script(says("Hi"));
    const session = await open();
    expect(await command(session, "/save")).toContain("nothing was written");
    await say(session, "Hello");
    expect(await command(session, "/history")).toBe("**You:** Hello\n\n**Hermes:** Hi");
    await command(session, "/save");
    const [file = ""] = (await readdir(folder)).filter((name) => name.endsWith(".json"));
    expect(JSON.parse(await readFile(join(folder, file), "utf8"))).toMatchObject({
      session_id: session.info.id,
      messages: [
        { role: "user", content: "Hello" },
        { role: "assistant", content: "Hi" },
      ],
    });
    expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
  });

  it("/copy takes the last answer, or an earlier one", async () => {
    const { open, server } = await harness();
    server.script(says("One."), says("Two."));
    const session = await open();
    await say(session, "a");
    await say(session, "b");
    expect(JSON.parse(await command(session, "/copy"))).toEqual({ do: "copy", text: "Two." });
    expect(JSON.parse(await command(session, "/copy 2"))).toEqual({ do: "copy", text: "One." });
    expect(await command(session, "/copy 3")).toContain("no such answer");
  });

  it("/compress says what it saved", async () => {
    const { open } = await harness({
      services: () => ({
        context: {
          compress: (focus) => Promise.resolve({ before: 100_000, after: focus === "api" ? 20_000 : 40_000 }),
        },
      }),
    });
    const session = await open();
    expect(await command(session, "/compress api")).toContain("100K → 20K tokens (80% less)");
  });
});

describe("other commands", () => {
  it("/background runs beside the conversation and reports", async () => {
    const { open, server, event, store } = await harness();
    server.script(says("42."));
    const session = await open();
    expect(await command(session, "/bg compute it")).toContain("bg1");
    expect(await event("background-end", session)).toMatchObject({ id: "bg1", prompt: "compute it", text: "42." });
    expect(session.history).toEqual([]);
    expect(await store.sessions.list()).toHaveLength(1);
    expect(await command(session, "/agents")).toBe("Nothing is running.");
  });

  it("/queue and /steer without a turn are messages [20:R10.33]", async () => {
    const { open, server } = await harness();
    server.script(says("One."), says("Two."));
    const session = await open();
    expect(await command(session, "/queue first")).toBe("One.");
    expect(await command(session, "/steer second")).toBe("Two.");
    expect(textsOf(session.history)).toEqual(["first", "One.", "second", "Two."]);
    expect(await command(session, "/queue")).toBe("The queue is empty.");
  });

  it("a skill is sent whole and stored as the words that called it [20:R9.9]", async () => {
    const { open, server } = await harness({
      services: () => ({
        skills: {
          commands: () => Promise.resolve([{ slug: "deploy-app", description: "Deploys" }]),
          invoke: (slug, text) =>
            Promise.resolve({ sent: `SKILL BODY for ${slug}: ${text}`, stored: `/${slug} ${text}` }),
        },
      }),
    });
    server.script(says("Deployed."));
    const session = await open();
    expect(await command(session, "/deploy-app to test")).toBe("Deployed.");
    expect(textsOf(session.history)[0]).toBe("/deploy-app to test");
    expect(JSON.stringify((await server.received(1)).body)).toContain("SKILL BODY for deploy-app: to test");
    expect(await command(session, "/skills")).toContain("/deploy-app | Deploys");
    server.script(says("Deployed again."));
    expect(await command(session, "/retry")).toBe("Deployed again.");
    expect(JSON.stringify((await server.received(2)).body)).toContain("SKILL BODY for deploy-app: to test");
    expect(session.history).toHaveLength(2);
  });

  it("an alias stands for another command and keeps what follows [20:A9.7] [20:R9.8]", async () => {
    const { open } = await harness({
      settings: { quickCommands: { g: { type: "alias", target: "/model" }, loop: { type: "alias", target: "loop" } } },
    });
    const session = await open();
    expect(await command(session, "/g opus")).toBe("Model: opus");
    expect(await command(session, "/loop")).toContain("leads to itself");
  });

  it("a plain quick command sends its text, one without a command says what is missing", async () => {
    const { open, server } = await harness({
      settings: { quickCommands: { std: "What is due today?", bad: { type: "exec" } } },
    });
    server.script(says("Nothing."));
    const session = await open();
    expect(await command(session, "/std")).toBe("Nothing.");
    expect(session.history[0]?.content).toBe("What is due today?");
    expect(await command(session, "/bad")).toContain("quick_commands.bad");
  });

  it("a plugin's command shows its text, and its error too [20:R9.10]", async () => {
    const { open } = await harness({
      deps: {
        pluginCommands: () => [
          { name: "hello", description: "Greets", handler: (args) => `Hello ${args}` },
          { name: "broken", description: "Fails", handler: () => Promise.reject(new Error("no network")) },
        ],
      },
    });
    const session = await open();
    expect(await command(session, "/hello World")).toBe("Hello World");
    expect(await command(session, "/broken")).toBe("no network");
    expect(await command(session, "/help all")).toContain("`/hello` — Greets");
  });

  it("an unknown command runs nothing and says where to look [20:R9.5]", async () => {
    const session = await (await harness()).open();
    expect(await command(session, "/modle x")).toBe(
      "There is no command /modle. Did you mean /model? /help lists them.",
    );
    expect(await command(session, "/re")).toMatch(/\/resume/);
    expect(session.history).toEqual([]);
  });

  it("settings that are changed by command are saved", async () => {
    const { saved, all } = preferences();
    const { open } = await harness({ deps: { preferences: all } });
    const session = await open();
    await command(session, "/busy queue");
    await command(session, "/reasoning high");
    await command(session, "/reasoning hide");
    await command(session, "/fast fast");
    await command(session, "/personality pirate");
    expect(saved).toEqual([
      ["display.busy_input_mode", "queue"],
      ["agent.reasoning_effort", "high"],
      ["display.show_reasoning", false],
      ["agent.service_tier", "fast"],
      ["display.personality", "pirate"],
    ]);
    expect(await command(session, "/busy")).toContain("waits for the end");
    expect(await command(session, "/config")).toContain("model.default | opus");
    expect(await command(session, "/profile")).toContain("Profile: default");
    expect(await command(session, "/reload")).toBe("3 variables read.");
  });

  it("/verbose in a chat is there when the setting says so, and then cycles and saves [20:A9.8] [40:CMD-3] [40:A-CMD-3]", async () => {
    const { saved, all } = preferences();
    const settings = { allowsVerboseInChats: true, toolProgress: "verbose" as const };
    const open1 = await (await harness()).open({ source: "telegram" });
    expect(await command(open1, "/verbose")).toContain("not available here");
    const { open } = await harness({ deps: { preferences: all }, settings });
    expect(await command(await open({ source: "telegram" }), "/verbose")).toContain("off");
    expect(saved).toEqual([["display.tool_progress", "off"]]);
  });

  it("/yolo is refused in chats that may not, and otherwise toggles", async () => {
    const { open } = await harness({ settings: { allowsYoloInChats: false } });
    expect(await command(await open({ source: "telegram" }), "/yolo")).toContain("cannot be turned off");
    const session = await open();
    expect(await command(session, "/yolo")).toContain("off");
    expect(session.info.isYolo).toBe(true);
    expect(await command(session, "/yolo")).toContain("on");
  });

  it("surface commands ask the surface, with arguments that make sense", async () => {
    const { open, folder } = await harness();
    await writeFile(join(folder, "a b.png"), "x");
    const session = await open();
    expect(JSON.parse(await command(session, "/skin mono"))).toEqual({ do: "set-skin", name: "mono" });
    expect(await command(session, "/skin pink")).toContain("no skin pink");
    expect(JSON.parse(await command(session, "/details tools hidden"))).toMatchObject({
      section: "tools",
      mode: "hidden",
    });
    expect(await command(session, "/details nothing")).toContain("/details");
    expect(JSON.parse(await command(session, "/image a\\ b.png"))).toMatchObject({ path: join(folder, "a b.png") });
    expect(await command(session, "/image missing.png")).toContain("ENOENT");
    expect(JSON.parse(await command(session, "/quit"))).toEqual({ do: "quit" });
    expect(JSON.parse(await command(session, "/sb"))).toEqual({ do: "toggle-statusbar" });
  });

  it("/tools changes begin a new session", async () => {
    const { open, server } = await harness();
    server.script(says("Hi"));
    const session = await open();
    await say(session, "Hello");
    const before = session.info.id;
    expect(await command(session, "/tools disable browser")).toContain("Changed: browser.");
    expect(session.info.id).not.toBe(before);
  });

  it("/usage states where the window is known from [20:A14.5]", async () => {
    const { open } = await harness({
      services: () => ({
        models: {
          facts: {
            source: "test",
            isDemo: false,
            warnings: [],
            windowWarning: undefined,
            windowSource: "Ollama num_ctx",
            hasFastService: false,
          },
          sideModels: async () => [{ task: "vision", model: undefined }],
        },
      }),
    });
    const usage = await command(await open(), "/usage");
    expect(usage).toContain("128K (0%), window from Ollama num_ctx");
    expect(usage).toContain("Side work | no model: vision");
  });

  it("/memory shows what is remembered, and keeps or refuses what waits", async () => {
    const notes = {
      about: "user",
      file: "/h/USER.md",
      entries: ["Likes tea\nand cake"],
      used: 20,
      limit: 200,
    } as const;
    const { open } = await harness({
      services: () => ({
        memory: {
          remembered: () => Promise.resolve([notes]),
          pending: () => Promise.resolve([{ id: "m1", text: "Likes tabs", source: "web page" }]),
          confirm: (id) => Promise.resolve(`Kept ${id}.`),
          reject: (id) => Promise.resolve(`Refused ${id}.`),
        },
      }),
    });
    const session = await open();
    expect(await command(session, "/memory")).toBe(
      "About you (/h/USER.md, 10% full)\n  • Likes tea\n    and cake\n\nWaiting for your confirmation: 1. See them with /memory pending",
    );
    expect(await command(session, "/memory pending")).toContain("m1 | web page | Likes tabs");
    expect(await command(session, "/memory confirm m1")).toBe("Kept m1.");
    expect(await command(session, "/memory reject m1")).toBe("Refused m1.");
  });

  it("/snapshot keeps settings and memory, and puts them back", async () => {
    const { open, folder } = await harness();
    const home = new HermesHome(join(folder, "home"));
    await mkdir(home.memories, { recursive: true });
    await writeFile(home.config, "model: one\n");
    await writeFile(join(home.memories, "MEMORY.md"), "note");
    const session = await open();
    expect(await command(session, "/snap")).toContain("no snapshots");
    const [, id = ""] = /Created snapshot (\S+)\./.exec(await command(session, "/snapshot create Before Move")) ?? [];
    expect(id).toMatch(/-before-move$/);
    await writeFile(home.config, "model: two\n");
    await writeFile(join(home.memories, "USER.md"), "new");
    const told = await command(session, `/snapshot restore ${id}`);
    expect(told).toContain("Restored: config.yaml, memories/MEMORY.md.");
    expect(told).toContain("the snapshot does not have them: memories/USER.md");
    expect(told).not.toContain("conversations");
    expect(await readFile(home.config, "utf8")).toBe("model: one\n");
    expect(await command(session, "/snapshot")).toContain("before-restore");
    expect(await command(session, "/snapshot restore ../etc")).toContain("no snapshot");
    expect(await command(session, "/snapshot prune 0")).toContain("2 snapshots removed");
  });

  it("/snapshot restore says that conversations are not put back, and by which command they are", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hermes-snapshot-"));
    const home = new HermesHome(folder);
    try {
      const one = await openHarness({ location: { path: home.stateDb }, deps: { home } });
      const { open, server } = one;
      server.script(says("One."), says("Two."));
      const session = await open();
      await say(session, "first");
      const [, id = ""] = /Created snapshot (\S+)\./.exec(await command(session, "/snapshot create")) ?? [];
      await say(session, "second");
      const told = await command(session, `/snapshot restore ${id}`);
      expect(told).toContain("Not restored: the conversations");
      const line = /run: (.+)$/.exec(told)?.[1] ?? "";
      await one[Symbol.asyncDispose]();
      execFileSync("/bin/sh", ["-c", line]);
      // On Node 20 the library lets go of a closed file only when its statements are collected.
      setFlagsFromString("--expose-gc");
      (runInNewContext("gc") as () => void)();
      await using store = await openStore({ path: home.stateDb }, { clock: systemClock, log: silentLogger });
      expect(textsOf(await store.messages.conversation(session.info.id))).toEqual(["first", "One."]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    // The database driver is loaded here first.
  }, 60_000);

  it("/debug shows the report first, without secrets, and sends nothing [20:R11.10]", async () => {
    const { open, folder } = await harness({
      deps: { version: "1.2 sk-secret", redact: (text) => text.replaceAll("sk-secret", "***") },
    });
    const home = new HermesHome(join(folder, "home"));
    await mkdir(home.logs, { recursive: true });
    await writeFile(home.agentLog, "line one\nline sk-secret two\n");
    const session = await open();
    const shown = await command(session, "/debug");
    expect(shown).toContain("Nothing was sent anywhere");
    expect(shown).toContain("line *** two");
    expect(shown).not.toContain("sk-secret");
    expect(await command(session, "/debug save")).toContain("Look through it");
    expect(await command(session, "/logs 1")).toBe("line *** two");
  });

  it("/insights counts what happened, and says when nothing did [20:R11.11]", async () => {
    const { open, server } = await harness();
    const session = await open();
    expect(await command(session, "/insights 7")).toBe("No sessions in the last 7 days.");
    server.script(says("Hi"));
    await say(session, "Hello");
    const shown = await command(session, "/insights");
    expect(shown).toMatch(/Sessions\s+1\s+Messages\s+2/);
    expect(shown).toMatch(/Turns ended by\s+an answer +1/);
    expect(await command(session, "/insights many")).toContain("/insights 7");
  });
});

describe("a stored tool call", () => {
  it("does not stop /undo in the middle of tool results", async () => {
    const { open, store } = await harness();
    const id = "20260101_000000_0badf00d" as SessionId;
    const call = newToolCall({ id: "c1", name: "terminal", arguments: "{}" });
    await store.messages.append(id, [
      { role: "user", content: "a", uid: "1" },
      { role: "assistant", content: "", tool_calls: [call], uid: "2" },
      { role: "tool", content: "{}", tool_call_id: "c1", tool_name: "terminal", uid: "3" },
      { role: "assistant", content: "b", uid: "4" },
    ]);
    const session = await open({ resume: id });
    await command(session, "/undo");
    expect(session.history).toEqual([]);
    expect(await store.messages.count(id)).toBe(0);
  });
});
