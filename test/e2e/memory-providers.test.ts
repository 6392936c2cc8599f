import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { startHoncho } from "../fakes/memory-services/honcho.ts";
import { Kept, type MemoryServiceFake } from "../fakes/memory-services/memory-service.ts";
import {
  fakeKey,
  startHindsight,
  startMem0,
  startOpenViking,
  startRetainDb,
  startSupermemory,
} from "../fakes/memory-services/services.ts";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";
import { modelConfig, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

type Received = { readonly messages: readonly Record<string, unknown>[] };
const told = ({ messages }: Received): string => JSON.stringify(messages.at(-1)?.["content"]);

interface Case {
  readonly name: string;
  readonly address: string;
  readonly key: string;
  readonly search: string;
  start(kept: Kept): Promise<MemoryServiceFake>;
}

const services: readonly Case[] = [
  { name: "honcho", address: "baseUrl", key: "apiKey", search: "honcho_search", start: startHoncho },
  { name: "mem0", address: "host", key: "api_key", search: "mem0_search", start: startMem0 },
  { name: "supermemory", address: "base_url", key: "api_key", search: "supermemory_search", start: startSupermemory },
  { name: "openviking", address: "endpoint", key: "api_key", search: "viking_search", start: startOpenViking },
  { name: "hindsight", address: "api_url", key: "api_key", search: "hindsight_recall", start: startHindsight },
  { name: "retaindb", address: "base_url", key: "api_key", search: "retaindb_search", start: startRetainDb },
];

describe("memory services that ship with Hermes", () => {
  it.each(services)(
    "$name: is set up, told of a turn, and recalls it in the next session [10:PROV-6] [10:PROV-4] [10:7.8]",
    async ({ name, address, key, search, start }) => {
      const kept = new Kept();
      await using service = await start(kept);
      await using model = await startModelServer({ strict: true });
      await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
      const set = ["--set", `${key}=${fakeKey}`, "--set", `${address}=${service.url}`];
      expect(await stage.run(["memory", "setup", name, ...set])).toMatchObject({ code: 0, stderr: "" });
      // The key stands in .env and in no other file.
      expect(await stage.filesWith(fakeKey)).toEqual([".env"]);
      expect((await stage.run(["memory", "status"])).stdout).toContain(`Provider: ${name}, ready`);

      model.script(says("Noted."));
      await stage.ask("My harbour is called Ystad.");
      expect(kept.all.some(({ text }) => text.includes("Ystad"))).toBe(true);

      model.script(calls(search, { query: "harbour" }), says("Ystad."));
      await stage.ask("What is my harbour called?");
      expect(told(await model.received(2))).toMatch(/<memory-context>[\s\S]*Ystad[\s\S]*<\/memory-context>/);
      expect(told(await model.received(3))).toContain("Ystad");
    },
  );

  it("send their key to the host that .env names, and to none that only a file of settings names", async () => {
    await using service = await startMem0();
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl, "memory:\n  provider: mem0\n"),
      env: `MEM0_API_KEY=${fakeKey}\n`,
    });
    await writeFile(path.join(stage.home, "mem0.json"), JSON.stringify({ host: "https://mem0.elsewhere.test" }));
    model.script(says("Hi."));
    const ran = await stage.run(["chat", "-q", "hello", "-Q"]);
    expect(ran).toMatchObject({ code: 0, stdout: "Hi.\n" });
    expect(ran.stderr).toContain("mem0 is not ready");
    expect(service.calls).toEqual([]);
  });

  it("break no turn when they are down, and are told of it at the next start [10:PROV-2] [10:PROV-12]", async () => {
    await using model = await startModelServer({ strict: true });
    const gone = await startMem0();
    await gone[Symbol.asyncDispose]();
    const kept = new Kept();
    await using service = await startMem0(kept);
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl, "memory:\n  provider: mem0\n"),
      env: `MEM0_API_KEY=${fakeKey}\n`,
    });
    model.script(says("Hi."), says("Hi again."));
    const ask = (words: string, url: string) => stage.run(["chat", "-q", words, "-Q"], { env: { MEM0_HOST: url } });
    expect(await ask("My harbour is Ystad.", gone.url)).toMatchObject({ code: 0, stdout: "Hi.\n" });
    expect(await ask("hello", service.url)).toMatchObject({ code: 0, stdout: "Hi again.\n" });
    expect(kept.all.map(({ text }) => text).join()).toContain("Ystad");
  });

  it("may be a program: ByteRover keeps what it is told by brv", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl, "memory:\n  provider: byterover\n"),
      env: `BRV_API_KEY=${fakeKey}\nOTHER_API_KEY=sk-not-for-others\n`,
    });
    const bin = path.join(stage.folder, "bin");
    const log = path.join(stage.folder, "brv.log");
    await mkdir(bin);
    const script = `#!/bin/sh\necho "$(pwd) $BRV_API_KEY $OTHER_API_KEY $*" >> ${log}\n[ "$1" = query ] && echo "The harbour is Ystad"\nexit 0\n`;
    await writeFile(path.join(bin, "brv"), script, { mode: 0o755 });
    model.script(says("Ystad."));
    await stage.run(["chat", "-q", "Which harbour?", "-Q"], { env: { PATH: `${bin}:${process.env["PATH"] ?? ""}` } });
    expect(told(await model.received(1))).toMatch(/<memory-context>[\s\S]*The harbour is Ystad/);
    const heard = await readFile(log, "utf8");
    expect(heard).toContain(`${path.join(stage.home, "byterover")} ${fakeKey}  query -- Which harbour?`);
    expect(heard).toContain("curate -- User: Which harbour?");
  });

  it("may be none at all: holographic keeps facts in a file of the home, and nothing elsewhere [10:PROV-3]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
    expect(await stage.run(["memory", "setup", "holographic"])).toMatchObject({ code: 0 });
    expect((await stage.run(["memory", "status"])).stdout).toContain("Provider: holographic, ready");
    model.script(calls("fact_store", { action: "add", content: "The harbour is called Ystad" }), says("Noted."));
    await stage.ask("My harbour is called Ystad.");
    model.script(calls("fact_store", { action: "search", query: "harbour" }), says("Ystad."));
    await stage.ask("What is my harbour called?");
    expect(told(await model.received(3))).toMatch(/<memory-context>[\s\S]*Ystad/);
    expect(told(await model.received(4))).toContain("Ystad");
    expect(await stage.filesWith("Ystad")).toContain("memory_store.db");
    expect(await stage.filesWith("Ystad", path.join(stage.folder, "user"))).toEqual([]);
    expect(await stage.filesWith("Ystad", stage.work)).toEqual([]);
  });

  it("bring commands of their own while they are in use, and only then [10:PROV-7] [10:A7.8]", async () => {
    await using stage = await Stage.open({
      config: "memory:\n  provider: honcho\n",
      env: `HONCHO_API_KEY=${fakeKey}\n`,
    });
    const status = await stage.run(["honcho", "status"]);
    expect(status).toMatchObject({ code: 0 });
    expect(status.stdout).toMatch(/address +https:\/\/api\.honcho\.dev/);
    expect(status.stdout).not.toContain(fakeKey);
    expect(await stage.run(["honcho", "mode", "tools"])).toMatchObject({ code: 0 });
    expect(await readFile(path.join(stage.home, "honcho.json"), "utf8")).toContain('"recallMode": "tools"');
    await stage.configure("memory:\n  provider: mem0\n");
    expect((await stage.run(["honcho", "status"])).code).toBe(2);
    expect((await stage.run(["--help"])).stdout).not.toContain("honcho");
  });
});

/** A provider that writes down what it is told, and how the notes looked then. */
const diary = `
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
class Diary {
  name = "diary";
  isAvailable() { return true; }
  initialize(id, context) {
    this.home = context.hermesHome;
    const { chatId, chatType, userName } = context;
    this.log(chatId === undefined ? "initialize" : "initialize " + [chatType, chatId, userName].join(" "));
  }
  log(line) { appendFileSync(join(this.home, "diary.log"), line + "\\n"); }
  getToolSchemas() { return []; }
  getConfigSchema() { return []; }
  syncTurn(user) { this.log("sync " + user); }
  onMemoryWrite(action, target, content) { this.log("write " + content); }
  onSessionEnd(messages) { this.log("end " + messages.length); }
  shutdown() { this.log("shutdown"); }
}
export function register(context) { context.registerMemoryProvider(new Diary()); }
`;

async function withDiary(stage: Stage): Promise<() => Promise<readonly string[]>> {
  const folder = path.join(stage.home, "plugins", "memory", "diary");
  await mkdir(folder, { recursive: true });
  await writeFile(
    path.join(folder, "plugin.yaml"),
    "name: diary\nversion: 1.0.0\ndescription: Log.\nkind: exclusive\n",
  );
  await writeFile(path.join(folder, "index.mjs"), diary);
  await writeFile(
    path.join(folder, "cli.mjs"),
    'export function registerCli(c) { c.subcommand({ name: "hello", description: "Greets", run: () => { console.log("Hello from the diary"); return 0; } }); }\n',
  );
  const log = path.join(stage.home, "diary.log");
  return async () => (await readFile(log, "utf8")).trim().split("\n");
}

describe("a provider in plugins/memory/<name>/", () => {
  it("is found by setup, status, chat and as a command alike [10:PROV-4]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
    const log = await withDiary(stage);
    expect(await stage.run(["memory", "setup", "diary"])).toMatchObject({ code: 0 });
    expect((await stage.run(["memory", "status"])).stdout).toContain("Provider: diary, ready");
    expect((await stage.run(["diary", "hello"])).stdout).toBe("Hello from the diary\n");
    model.script(says("Hi."));
    await stage.ask("hello");
    expect(await log()).toEqual(["initialize", "sync hello", "end 2", "shutdown"]);
  });

  it("hears the flush, then the end, then shutdown, on /new and at the end of the program [10:MEM-17]", async () => {
    await using model = await startModelServer({ strict: true });
    model.otherwise(says("Nothing more."));
    await using stage = await Stage.open({
      config: modelConfig(
        model.chatBaseUrl,
        "memory:\n  provider: diary\n  flush_min_turns: 1\n  nudge_interval: 0\nauxiliary:\n  title_generation:\n    enabled: false\n",
      ),
    });
    const log = await withDiary(stage);
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    model.script(
      says("First answer."),
      calls("memory", { action: "add", target: "memory", content: "The port is 8443" }),
    );
    await terminal.say("One.");
    await terminal.answers("First answer.");
    await terminal.say("/new");
    await terminal.answers(/new/i);
    model.script(says("Second answer."));
    await terminal.say("Two.");
    await terminal.answers("Second answer.");
    await terminal.say("/quit");
    expect(await terminal.exited).toBe(0);
    expect(await log()).toEqual([
      "initialize",
      "sync One.",
      "write The port is 8443",
      "end 2",
      "shutdown",
      "initialize",
      "sync Two.",
      "end 2",
      "shutdown",
    ]);
  });

  it("hears the flush and the end of a part when the conversation is compressed, and the end of all once [10:MEM-15] [10:MEM-17]", async () => {
    await using model = await startModelServer({ strict: true });
    let flushes = 0;
    model.otherwise((request) => {
      if (!told(request).includes("about to be cut off")) return says("Noted.");
      flushes += 1;
      return calls("memory", { action: "add", target: "memory", content: `Fact ${flushes}` });
    });
    const small = modelConfig(
      model.chatBaseUrl,
      "memory:\n  provider: diary\n  flush_min_turns: 0\n  nudge_interval: 0\nauxiliary:\n  title_generation:\n    enabled: false\n",
    ).replace("default:", "context_length: 24000\n  allow_small_context: true\n  default:");
    await using stage = await Stage.open({ config: small });
    const log = await withDiary(stage);
    for (let turn = 0; turn < 6; turn += 1) {
      await writeFile(path.join(stage.home, "diary.log"), "");
      await stage.ask(`Turn ${turn}: ${"a long story ".repeat(1_200)}`, "-t", "memory", ...(turn === 0 ? [] : ["-c"]));
      if (flushes > 0) break;
    }
    expect((await log()).map((line) => line.replace(/^sync .*/, "sync"))).toEqual([
      "initialize",
      "write Fact 1",
      expect.stringMatching(/^end \d+$/),
      "sync",
      expect.stringMatching(/^end \d+$/),
      "shutdown",
    ]);
  });

  it("hears the end and shutdown of every conversation when the program is asked to end [10:MEM-17]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(
        model.chatBaseUrl,
        "memory:\n  provider: diary\n  nudge_interval: 0\nauxiliary:\n  title_generation:\n    enabled: false\n",
      ),
    });
    const log = await withDiary(stage);
    model.script(says("Earlier."));
    const { session_id: earlier } = await stage.ask("Before.");
    await writeFile(path.join(stage.home, "diary.log"), "");
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    model.script(says("First answer."));
    await terminal.say("One.");
    await terminal.answers("First answer.");
    await terminal.say(`/resume ${String(earlier)}`);
    await terminal.answers("Earlier.");
    model.script(says("Second answer."));
    await terminal.say("Two.");
    await terminal.answers("Second answer.");
    process.kill(terminal.pid, "SIGTERM");
    await terminal.exited;
    const heard = (await log()).filter((line) => line !== "initialize");
    // The one that was left stays warm until then; each hears its end before it is shut down.
    expect(heard.toSorted()).toEqual(["end 2", "end 4", "shutdown", "shutdown", "sync One.", "sync Two."]);
    for (const end of ["end 2", "end 4"]) expect(heard.indexOf(end)).toBeLessThan(heard.lastIndexOf("shutdown"));
    expect(heard.findIndex((line) => line.startsWith("end"))).toBeLessThan(heard.indexOf("shutdown"));
  });

  it("is not asked to save again what was saved a moment ago [10:MEM-16]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl, "memory:\n  provider: diary\n  flush_min_turns: 1\n  nudge_interval: 0\n"),
    });
    const log = await withDiary(stage);
    model.script(calls("memory", { action: "add", target: "memory", content: "Tea at five" }), says("Noted."));
    await stage.ask("Tea at five.");
    expect(await log()).toEqual(["initialize", "write Tea at five", "sync Tea at five.", "end 4", "shutdown"]);
    expect(model.requests.filter((request) => told(request).includes("about to be cut off"))).toEqual([]);
  });

  it("is told which chat it serves", async () => {
    await using model = await startModelServer();
    await using telegram = await startTelegramServer();
    model.otherwise(says("Hi."));
    await using stage = await Stage.open({
      config: modelConfig(
        model.chatBaseUrl,
        `platforms: { telegram: { extra: { base_url: "${telegram.url}/bot" } } }\ntelegram: { allowed_users: ["7"] }\nmemory: { provider: diary }\n`,
      ),
      env: `TELEGRAM_BOT_TOKEN=${telegram.token}\n`,
    });
    const log = await withDiary(stage);
    stage.start(["gateway", "run"]);
    telegram.text("hello");
    await expect.poll(() => telegram.shown().map(({ text }) => text), { timeout: 60_000 }).toContain("Hi.");
    expect((await log())[0]).toMatch(/^initialize dm \d+ \S+/);
  });
});

describe("a review of what to remember", () => {
  it("is due after so many turns, also when the program was started anew in between [10:MEM-11]", async () => {
    await using model = await startModelServer({ strict: true });
    model.otherwise(says("Nothing to keep."));
    await using stage = await Stage.open({
      config: modelConfig(
        model.chatBaseUrl,
        "memory:\n  nudge_interval: 2\nauxiliary:\n  title_generation:\n    enabled: false\n",
      ),
    });
    model.script(says("First."));
    const { session_id: id } = await stage.ask("One.");
    expect(model.requests).toHaveLength(1);
    await using terminal = new ProgramTerminal(stage, ["--resume", String(id)]);
    await terminal.sees("❯");
    model.script(says("Second."));
    await terminal.say("Two.");
    await terminal.answers("Second.");
    const review = await model.received(3);
    expect(JSON.stringify(review.messages)).toContain("One.");
    expect(review.toolNames).toContain("memory");
    expect(told(review)).not.toContain("Two.");
  });
});
