import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { memoryLogger } from "#foundation/testing/memory-logger";
import type { OpenOptions, OpenSession, SessionEvent } from "#session";
import { type McpServerSettings, readServerSettings } from "#tools";
import { type Hermes, openHermes } from "../../src/app/hermes.ts";
import { temporaryStage } from "../../src/app/testing.ts";
import { FarMachine } from "../fakes/far-terminal.ts";
import { calls, type ModelServer, says, startModelServer } from "../fakes/model-server/index.ts";

/**
 * One process, two people: Ann, whose home it is, at the terminal; Bob in a chat. Each has a folder, a model and a kind
 * of terminal. Whatever one does, the other neither sees nor has.
 */

const fakeServer = fileURLToPath(new URL("../fakes/mcp-server/server.mjs", import.meta.url));
const farKey = Symbol.for("hermes-test-far-terminal");

const plugin = `
export function register(ctx) {
  ctx.registerTerminal("far", globalThis[Symbol.for("hermes-test-far-terminal")]);
  const relay = async ({ command }) => ({ answer: JSON.parse(await ctx.dispatchTool("terminal", { command })) });
  const parameters = { type: "object", properties: { command: { type: "string" } } };
  ctx.registerTool({ name: "relay", toolset: "relay", schema: parameters, description: "Runs it", handler: relay });
  ctx.registerTool({ name: "nudge", toolset: "relay", schema: { type: "object", properties: {} }, description: "Nudges",
    handler: () => ({ sent: ctx.injectMessage("nudged") }) });
}`;

const skill = `---
name: gifs
description: Finds pictures
required_environment_variables: [TENOR_API_KEY]
---
Look for pictures.
`;

const config = (left: string, right: string, more = ""): string => `
model: {provider: "custom:left", default: left-model}
custom_providers:
  - {name: left, base_url: "${left}", model: left-model, context_length: 200000}
  - {name: right, base_url: "${right}", model: right-model, context_length: 200000}
plugins: {enabled: [relay]}
platform_toolsets: {cli: [terminal, memory, skills, relay, file], telegram: [terminal, memory, skills, relay, file]}
checkpoints: {enabled: false}
${more}`;

/** A session with its model, and what it has said so far. */
interface Person {
  readonly session: OpenSession;
  readonly model: ModelServer;
  readonly events: readonly SessionEvent[];
  /** One turn in which the model makes this call; what it was told. */
  call(tool: string, args: Record<string, unknown>): Promise<string>;
  until(isMeant: (event: SessionEvent) => boolean): Promise<SessionEvent>;
}

let scope: Scope;
let folder: string;
let home: string;
let left: ModelServer;
let right: ModelServer;
let far: FarMachine;
let hermes: Hermes;

beforeEach(() => {
  scope = new Scope();
});
afterEach(() => scope[Symbol.asyncDispose]());

async function open(more = ""): Promise<void> {
  left = scope.adopt(await startModelServer({ strict: true }));
  right = scope.adopt(await startModelServer({ strict: true }));
  for (const server of [left, right]) server.otherwise(says("A title"));
  const location = scope.adopt(
    await temporaryStage({
      "config.yaml": config(left.chatBaseUrl, right.chatBaseUrl, more),
      "plugins/relay/plugin.yaml": "name: relay\nversion: 1.0.0\n",
      "plugins/relay/index.mjs": plugin,
      "skills/media/gifs/SKILL.md": skill,
    }),
  );
  ({ folder, home } = location);
  await Promise.all(["ann", "bob", "tmp"].map((name) => mkdir(path.join(folder, name))));
  // The folder for temporary files is everybody's, so it must not be the one the stage stands in.
  const { TMPDIR } = process.env;
  scope.defer(() => {
    if (TMPDIR === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = TMPDIR;
  });
  process.env["TMPDIR"] = path.join(folder, "tmp");
  far = new FarMachine();
  Reflect.set(globalThis, farKey, far.opener);
  scope.defer(() => void Reflect.deleteProperty(globalThis, farKey));
  hermes = scope.adopt(
    await openHermes({
      env: { ...location.env, TMPDIR: path.join(folder, "tmp") },
      cwd: folder,
      version: "test",
      isIncognito: true,
      onNotice: () => undefined,
    }),
  );
}

async function person(
  model: ModelServer,
  wanted: Partial<OpenOptions> & Pick<OpenOptions, "cwd" | "source">,
): Promise<Person> {
  const provider = model === left ? "custom:left" : "custom:right";
  const named = model === left ? "left-model" : "right-model";
  const session = scope.adopt(await hermes.sessions.open({ isInteractive: true, provider, model: named, ...wanted }));
  const events: SessionEvent[] = [];
  const waiting = new Set<() => void>();
  session.subscribe((event) => {
    events.push(event);
    for (const look of waiting) look();
  });
  return {
    session,
    model,
    events,
    async call(tool, args) {
      const before = session.history.length;
      model.script(calls(tool, args), says("Done."));
      const sent = await session.submit({ text: `Use ${tool}.` });
      if (sent.kind !== "turn") throw new Error(`no turn: ${JSON.stringify(sent)}`);
      await sent.ended;
      const told = session.history.slice(before).find(({ role }) => role === "tool");
      return String(told?.content);
    },
    until: (isMeant) =>
      new Promise((resolve) => {
        const look = (): void => {
          const event = events.find(isMeant);
          if (event === undefined) return;
          waiting.delete(look);
          resolve(event);
        };
        waiting.add(look);
        look();
      }),
  };
}

const ann = (wanted: Partial<OpenOptions> = {}): Promise<Person> =>
  person(left, { source: "cli", cwd: path.join(folder, "ann"), ...wanted });
const bob = (wanted: Partial<OpenOptions> = {}): Promise<Person> =>
  person(right, { source: "telegram", userId: "bob", cwd: path.join(folder, "bob"), ...wanted });
const farBob = (): Promise<Person> => bob({ terminal: { kind: "far", cwd: "/far/work" } });

const requestsOf = (server: ModelServer): string => JSON.stringify(server.requests.map(({ body }) => body));

describe("two sessions in one process", () => {
  it("work in their own folders, also at the same time", async () => {
    await open();
    const [a, b] = [await ann(), await bob()];
    const [hers, his] = await Promise.all([
      a.call("terminal", { command: "sleep 0.1; pwd" }),
      b.call("terminal", { command: "sleep 0.1; pwd" }),
    ]);
    expect(hers).toContain(path.join(folder, "ann"));
    expect(his).toContain(path.join(folder, "bob"));
    await a.call("write_file", { path: "note.txt", content: "hers" });
    expect(await readFile(path.join(folder, "ann", "note.txt"), "utf8")).toBe("hers");
    expect(await b.call("read_file", { path: "note.txt" })).toContain("not found");
    await a.call("terminal", { command: "cd /; export COLOUR=red" });
    expect(await b.call("terminal", { command: 'echo "at $(pwd) [$COLOUR]"' })).toContain(
      `at ${path.join(folder, "bob")} []`,
    );
  });

  it("follow terminal.cwd from where each was opened", async () => {
    await open("terminal: {cwd: sub}\n");
    await Promise.all(["ann", "bob"].map((name) => mkdir(path.join(folder, name, "sub"))));
    const [a, b] = [await ann(), await bob()];
    expect(await a.call("terminal", { command: "pwd" })).toContain(path.join(folder, "ann", "sub"));
    expect(await b.call("terminal", { command: "pwd" })).toContain(path.join(folder, "bob", "sub"));
  });

  it("are confined to their own folders", async ({ skip }) => {
    await open("terminal: {sandbox: auto}\napprovals: {mode: off}\n");
    const [a, b] = [await ann(), await bob()];
    const write = (who: Person, where: string) =>
      who.call("terminal", { command: `echo x > ${path.join(folder, where, "made.txt")} && echo written` });
    if ((await write(a, "bob")).includes("written")) skip("there is no sandbox on this machine");
    expect(await write(a, "ann")).toContain("written");
    expect(await write(b, "bob")).toContain("written");
    expect(await write(b, "ann")).toContain("Read-only file system");
  });

  it("use their own kind of terminal", async () => {
    await open();
    const [a, b] = [await ann(), await farBob()];
    expect(await b.call("terminal", { command: "uname" })).toContain("far away: uname");
    expect(await a.call("terminal", { command: "echo here" })).not.toContain("far away");
    expect(far.commands).toEqual([
      { sessionKey: b.session.info.rootId, taskId: b.session.info.rootId, command: "uname" },
    ]);
    // What a terminal cannot do is not offered: far away there is no pseudo-terminal.
    expect(requestsOf(left)).toContain("Give it a real terminal");
    expect(requestsOf(right)).not.toContain("Give it a real terminal");
  });

  it("ask their own person, and keep what was allowed to themselves [30:W-11]", async () => {
    await open("terminal: {sandbox: off}\n");
    const [a, b] = [await ann(), await bob()];
    const asked: string[] = [];
    for (const [name, who] of [
      ["ann", a],
      ["bob", b],
    ] as const)
      who.session.subscribe((event) => {
        if (event.type !== "approval-request") return;
        asked.push(name);
        who.session.approve(event.id, name === "ann" ? "session" : "deny");
      });
    expect(await a.call("terminal", { command: "rm -rf x" })).toContain('"exit_code":0');
    expect(await a.call("terminal", { command: "rm -rf y" })).toContain("approved earlier");
    expect(await b.call("terminal", { command: "rm -rf x" })).toContain("not run");
    expect(asked).toEqual(["ann", "bob"]);
    await a.session.submit({ text: "/yolo" });
    expect(a.session.info.isYolo).toBe(true);
    expect(b.session.info.isYolo).toBe(false);
    expect(await b.call("terminal", { command: "rm -rf z" })).toContain("not run");
    expect(asked).toEqual(["ann", "bob", "bob"]);
  });

  it("have their own secrets and their own sudo", async () => {
    // Nobody is asked whether the commands may run; who is asked for a password is the question.
    await open("terminal: {sandbox: off}\napprovals: {mode: off}\n");
    const bin = path.join(folder, "bin");
    await mkdir(bin);
    await writeFile(path.join(bin, "sudo"), '#!/bin/sh\nread word; echo "sudo got $word"\n', { mode: 0o755 });
    const [a, b] = [await ann(), await bob()];
    const words = { sudo: "ann-word", secret: "tenor-0123456789" } as const;
    a.session.subscribe((event) => {
      if (event.type === "secret-request") a.session.answer(event.id, words[event.what]);
    });
    await a.call("skill_view", { name: "gifs" });
    await b.call("skill_view", { name: "gifs" });
    const length = { command: 'printf %s "$TENOR_API_KEY" | wc -c' };
    expect(await a.call("terminal", length)).toContain('"output":"16"');
    expect(await b.call("terminal", length)).toContain('"output":"0"');
    expect(hermes.loaded.environment.variables).not.toHaveProperty("TENOR_API_KEY");
    expect(await readFile(path.join(home, ".env"), "utf8")).toContain("TENOR_API_KEY=tenor-0123456789");
    for (const who of [a, b]) await who.call("terminal", { command: `export PATH=${bin}:$PATH` });
    expect(await a.call("terminal", { command: "sudo true" })).toContain("sudo got ann-word");
    const later = b.until((event) => event.type === "secret-request" && event.what === "sudo");
    const his = b.call("terminal", { command: "sudo true" });
    const question = await later;
    if (question.type === "secret-request") b.session.answer(question.id, "bob-word");
    expect(await his).toContain("sudo got bob-word");
    expect(a.events.filter(({ type }) => type === "secret-request")).toHaveLength(2);
    expect(b.events.filter(({ type }) => type === "secret-request")).toHaveLength(1);
    expect(requestsOf(left) + requestsOf(right)).not.toContain("tenor-0123456789");
  });

  it("remember for their own person", async () => {
    await open();
    const [a, b] = [await ann(), await bob()];
    await a.call("memory", { action: "add", target: "user", content: "Ann drinks oolong" });
    await b.call("memory", { action: "add", target: "user", content: "Bob drinks cocoa" });
    const prompts = async (who: Person): Promise<string> => {
      const before = who.model.requests.length;
      who.model.script(says("Hi."));
      const sent = await who.session.submit({ text: "hi" });
      if (sent.kind === "turn") await sent.ended;
      return who.model.requests[before]?.systemText ?? "";
    };
    expect(await prompts(await ann())).toContain("Ann drinks oolong");
    const his = await prompts(await bob());
    expect(his).toContain("Bob drinks cocoa");
    expect(his).not.toContain("oolong");
    expect(await prompts(await person(right, { source: "telegram", userId: "carol", cwd: folder }))).not.toMatch(
      /oolong|cocoa/,
    );
    expect(await readFile(path.join(home, "memories", "USER.md"), "utf8")).not.toContain("cocoa");
  });

  it("ask their own models, and pay for themselves", async () => {
    const price = "{input: 1000, output: 1000}";
    await open(
      `budget: {session_usd: 40, mode: hard}\npricing: {overrides: {"custom:left": {left-model: ${price}}, "custom:right": {right-model: ${price}}}}\n`,
    );
    const [a, b] = [await ann(), await bob()];
    const spent = async (who: Person): Promise<number> =>
      (await hermes.store.money.spent({ sessionId: who.session.info.rootId })).usd;
    await a.call("terminal", { command: "true" });
    expect(await spent(a)).toBeGreaterThan(0);
    expect(await spent(b)).toBe(0);
    expect(right.requests).toHaveLength(0);
    await b.call("terminal", { command: "true" });
    await Promise.all([a, b].map(({ session }) => session.settled()));
    // Titles are side calls: each session asks its own model.
    for (const server of [left, right])
      await expect.poll(() => requestsOf(server)).toContain("title of three to six words");
    expect(requestsOf(left)).not.toContain("right-model");
    expect(requestsOf(right)).not.toContain("left-model");
  });

  it("look after their own background processes", async () => {
    await open("terminal: {sandbox: off}\n");
    const [a, b] = [await ann(), await bob()];
    const started = await a.call("terminal", { command: "sleep 600", background: true });
    const id = /proc_[0-9a-f]{12}/.exec(started)?.[0] ?? "";
    expect(await a.call("process", { action: "list" })).toContain(id);
    expect(await b.call("process", { action: "list" })).toBe('{"processes":[]}');
    expect(await b.call("process", { action: "kill", session_id: id })).toContain("not_found");
    await b.call("terminal", { command: "sleep 0.1; echo his-end", background: true, notify_on_complete: true });
    await b.until((event) => event.type === "input-admitted" && event.text.includes("his-end"));
    expect(a.events.some((event) => event.type === "input-admitted" && event.text.includes("his-end"))).toBe(false);
  });

  it("have their own MCP servers, and plugins work for the session that calls them [30:W-01]", async () => {
    await open();
    // Where the wall around the server lets it write.
    const pidFile = path.join(folder, "bob", "mcp.pid");
    const [a, b] = [await ann(), await bob({ mcpServers: [server("mine", { pidFile })] })];
    expect(await b.call("mcp_mine_echo", { a: "his" })).toContain("his");
    expect(await a.call("terminal", { command: "true" })).toContain('"exit_code":0');
    expect(requestsOf(left)).not.toContain("mcp_mine_echo");
    // Bob's turn began last, and Ann's plugin call still runs where Ann works.
    const [hers, his] = await Promise.all([
      a.call("relay", { command: "sleep 0.2; pwd" }),
      b.call("relay", { command: "pwd" }),
    ]);
    expect(hers).toContain(path.join(folder, "ann"));
    expect(his).toContain(path.join(folder, "bob"));
    expect(await a.call("nudge", {})).toContain('"sent":true');
    await a.until((event) => event.type === "input-admitted" && event.text === "nudged");
    expect(b.events.some((event) => event.type === "input-admitted" && event.text === "nudged")).toBe(false);
  });
});

describe("a session that is closed", () => {
  it("leaves nothing of itself, and the other one whole", async () => {
    await open("terminal: {sandbox: off}\n");
    const pidFile = path.join(folder, "mcp.pid");
    const [a, b] = [await ann(), await bob({ mcpServers: [server("mine", { pidFile })] })];
    const distant = await farBob();
    await distant.call("terminal", { command: "true" });
    const started = async (who: Person): Promise<number> =>
      Number(/"pid":(\d+)/.exec(await who.call("terminal", { command: "sleep 600", background: true }))?.[1]);
    const [hers, his] = [await started(a), await started(b)];
    b.session.subscribe((event) => {
      if (event.type === "approval-request") b.session.approve(event.id, "session");
    });
    await b.call("terminal", { command: "rm -rf x" });
    await b.session.submit({ text: "/yolo" });
    const served = Number(await readFile(pidFile, "utf8"));
    const { rootId } = b.session.info;
    expect([hers, his, served].map(isRunning)).toEqual([true, true, true]);
    await a.call("terminal", { command: "cd /usr" });

    await b.session[Symbol.asyncDispose]();
    await distant.session[Symbol.asyncDispose]();

    expect([hers, his, served].map(isRunning)).toEqual([true, false, false]);
    expect(far.open.size).toBe(0);
    expect(hermes.toolbox.processes.list(rootId)).toEqual([]);
    expect(hermes.toolbox.yolo.isOn(rootId)).toBe(false);
    expect(await a.call("terminal", { command: "pwd" })).toContain("/usr");

    const again = await bob({ resume: rootId });
    expect(again.session.info.rootId).toBe(rootId);
    const refused = again.until((event) => event.type === "approval-request");
    const running = again.call("terminal", { command: "rm -rf x" });
    const question = await refused;
    if (question.type === "approval-request") again.session.approve(question.id, "deny");
    expect(await running).toContain("not run");
  });
});

describe("a session that is lent", () => {
  it("is one for all who hold it, and put away it leaves nothing running, and the other one whole", async () => {
    await open("terminal: {sandbox: off}\nsessions: {max_idle: 0}\n");
    const pidFile = path.join(folder, "mcp.pid");
    const a = await ann();
    const borrow = (source: string) =>
      hermes.sessions.borrow({
        key: "chat:bob",
        source,
        userId: "bob",
        cwd: path.join(folder, "bob"),
        isInteractive: true,
        provider: "custom:right",
        model: "right-model",
        mcpServers: [server("mine", { pidFile })],
      });
    const [chat, dashboard] = [await borrow("telegram"), await borrow("dashboard")];
    const heard: string[] = [];
    dashboard.subscribe((event) => event.type === "turn-end" && heard.push(event.text));
    right.script(calls("mcp_mine_echo", { a: "his" }), says("Echoed."));
    const sent = await chat.submit({ text: "Use it." });
    if (sent.kind === "turn") await sent.ended;
    expect(heard).toEqual(["Echoed."]);
    const { id } = chat.info;
    const served = Number(await readFile(pidFile, "utf8"));
    await a.call("terminal", { command: "cd /usr" });

    await chat[Symbol.asyncDispose]();
    expect(isRunning(served)).toBe(true);
    await dashboard[Symbol.asyncDispose]();
    await expect.poll(() => isRunning(served), { timeout: 20_000 }).toBe(false);

    expect((await hermes.store.sessions.get(id))?.endedAtMs).toBeUndefined();
    expect(await a.call("terminal", { command: "pwd" })).toContain("/usr");
    const again = scope.adopt(
      await hermes.sessions.borrow({ source: "telegram", cwd: folder, resume: id, isInteractive: true }),
    );
    expect(again.history.at(-1)?.content).toBe("Echoed.");
  });
});

function server(name: string, plan: Readonly<Record<string, unknown>>): McpServerSettings {
  const raw = { command: process.execPath, args: [fakeServer, JSON.stringify(plan)], trust: "trusted" };
  const reading = readServerSettings(name, raw, { env: {}, logger: memoryLogger() });
  if (reading.kind !== "settings") throw new Error(reading.reason);
  return reading.settings;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
