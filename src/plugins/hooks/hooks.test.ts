import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defined } from "#foundation/defined";
import { never } from "#foundation/lifecycle/abort";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { pluginStage } from "../testing.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { GatewayHooks } from "./gateway-hooks.ts";
import { Hooks } from "./hooks.ts";
import { readShellHooks } from "./read-shell-hooks.ts";
import { ShellConsent } from "./shell-consent.ts";
import { registerShellHooks } from "./shell-hooks.ts";
import { splitCommand } from "./split-command.ts";

const call = { tool_name: "terminal", args: { command: "ls" }, task_id: "t", session_id: "s", tool_call_id: "c" };
const turn = {
  session_id: "s",
  user_message: "hi",
  conversation_history: [],
  is_first_turn: true,
  model: "m",
  platform: "cli",
  sender_id: null,
};

function stageHooks(timeoutMs = 5_000) {
  const logger = memoryLogger();
  return { hooks: new Hooks({ logger, timeoutMs }), logger };
}

describe("hooks", () => {
  it("join the context of several plugins by a blank line, in order [30:7.5] [30:7.7-7] [10:TOOL-15]", async () => {
    const { hooks } = stageHooks();
    hooks.on("pre_llm_call", () => "a", { owner: "1" });
    hooks.on("pre_llm_call", () => "", { owner: "2" });
    hooks.on("pre_llm_call", async () => ({ context: "b" }), { owner: "3" });
    expect(await hooks.turnContext(turn, never)).toBe("a\n\nb");
  });

  it("that fail are logged and skipped [30:7.5] [10:TOOL-15]", async () => {
    const { hooks, logger } = stageHooks();
    hooks.on(
      "pre_tool_call",
      () => {
        throw new Error("broke");
      },
      { owner: "bad" },
    );
    hooks.on("pre_tool_call", () => ({ action: "block", message: "second" }), { owner: "good" });
    expect(await hooks.beforeToolCall(call, never)).toEqual({ kind: "block", message: "second" });
    expect(logger.lines).toMatchObject([
      { message: "hook failed and was skipped", fields: { owner: "bad", error: "broke" } },
    ]);
  });

  it("that take too long are left behind, or block when they say so [30:7.5]", async () => {
    const { hooks } = stageHooks(20);
    const hang = () => new Promise(() => undefined);
    const skipped = hooks.on("pre_tool_call", hang, { owner: "slow" });
    expect(await hooks.beforeToolCall(call, never)).toEqual({ kind: "run" });
    skipped[Symbol.dispose]();
    hooks.on("pre_tool_call", hang, { owner: "strict", failClosed: true });
    expect(await hooks.beforeToolCall(call, never)).toMatchObject({
      kind: "block",
      message: expect.stringContaining("strict"),
    });
  });

  it("may change the arguments of a call, and say so in the log [30:7.5]", async () => {
    const { hooks, logger } = stageHooks();
    hooks.on("pre_tool_call", () => ({ action: "modify", args: { command: "pwd" } }), { owner: "a" });
    expect(await hooks.beforeToolCall(call, never)).toEqual({ kind: "run", args: { command: "pwd" } });
    expect(logger.lines).toHaveLength(1);
  });

  it("decide what the gateway takes in [30:7.5]", async () => {
    const { hooks } = stageHooks();
    const event = { event: { text: "x" }, gateway: {}, session_store: {} };
    expect(await hooks.beforeDispatch(event, never)).toEqual({ kind: "allow" });
    hooks.on("pre_gateway_dispatch", () => ({ action: "allow" }), { owner: "a" });
    hooks.on("pre_gateway_dispatch", () => ({ action: "rewrite", text: "y" }), { owner: "b" });
    hooks.on("pre_gateway_dispatch", () => ({ action: "skip", reason: "no" }), { owner: "c" });
    expect(await hooks.beforeDispatch(event, never)).toEqual({ kind: "rewrite", text: "y" });
  });

  it("with an unknown name are kept with a warning [30:7.4]", () => {
    const { hooks, logger } = stageHooks();
    hooks.on("on_moonrise", () => undefined, { owner: "a" });
    expect(logger.lines[0]?.level).toBe("warn");
  });

  it("stop when the turn is stopped [30:7.5]", async () => {
    const { hooks } = stageHooks();
    const stop = new AbortController();
    hooks.on("pre_tool_call", () => stop.abort(new Error("stopped")), { owner: "a" });
    hooks.on("pre_tool_call", () => undefined, { owner: "b" });
    await expect(hooks.beforeToolCall(call, stop.signal)).rejects.toThrow("stopped");
  });
});

describe("shell hooks", () => {
  const script = (answer: string, code = 0) =>
    `#!/usr/bin/env node\nconst chunks=[];process.stdin.on("data",(c)=>chunks.push(c)).on("end",()=>{require("fs").writeFileSync(process.argv[2],Buffer.concat(chunks));process.stdout.write(${JSON.stringify(answer)});process.exitCode=${code};});\n`;

  async function withScript(
    answer: string,
    options: { matcher?: string; code?: number; env?: Record<string, string>; failClosed?: boolean } = {},
  ) {
    const stage = await pluginStage();
    const path = join(stage.home, "hook.cjs");
    const seen = join(stage.home, "seen.json");
    await stage.write({ "hook.cjs": script(answer, options.code) });
    const consent = new ShellConsent(
      join(stage.home, "shell-hooks-allowlist.json"),
      { cwd: stage.home, env: {} },
      never,
    );
    const command = `"${process.execPath}" ${path} ${seen}`;
    const configured = readShellHooks(
      {
        pre_tool_call: [
          {
            command,
            fail_closed: options.failClosed ?? false,
            ...defined({ matcher: options.matcher }),
          },
        ],
      },
      stage.logger,
    );
    const deps = {
      logger: stage.logger,
      consent,
      autoAccept: true,
      env: { PATH: process.env["PATH"] ?? "", ...options.env },
      cwd: stage.home,
    };
    return { stage, configured, deps, seen, path, consent };
  }

  it("block a call with the reason they print, after plugins were asked [30:7.5] [30:7.7-10]", async () => {
    const { stage, configured, deps, seen } = await withScript('{"decision":"block","reason":"x"}');
    await using _stage = stage;
    await registerShellHooks(stage.hooks, configured, { deps, signal: never });
    const order: string[] = [];
    stage.hooks.on("pre_tool_call", () => void order.push("plugin"), { owner: "late" });
    expect(await stage.hooks.beforeToolCall(call, never)).toEqual({ kind: "block", message: "x" });
    expect(order).toEqual(["plugin"]);
    expect(JSON.parse(await readFile(seen, "utf8"))).toEqual({
      hook_event_name: "pre_tool_call",
      tool_name: "terminal",
      tool_input: { command: "ls" },
      session_id: "s",
      cwd: stage.home,
      extra: { task_id: "t", tool_call_id: "c" },
    });
  });

  it.each([
    ["another tool", '{"decision":"block","reason":"x"}', { matcher: "term" }],
    ["a failing command", '{"decision":"block","reason":"x"}', { code: 3 }],
    ["something that is not JSON", "hello", {}],
  ])("do not block for %s [30:7.5]", async (_what, answer, options) => {
    const { stage, configured, deps } = await withScript(answer, options);
    await using _stage = stage;
    await registerShellHooks(stage.hooks, configured, { deps, signal: never });
    expect(await stage.hooks.beforeToolCall(call, never)).toEqual({ kind: "run" });
  });

  it.each([
    ["a failing command", '{"context":"fine"}', { code: 3 }, /ended with exit code 3/],
    ["something that is not JSON", "hello", {}, /is not JSON/],
  ])("that must succeed block the call for %s, and say why [30:7.5]", async (_what, answer, options, why) => {
    const { stage, configured, deps, path } = await withScript(answer, { ...options, failClosed: true });
    await using _stage = stage;
    await registerShellHooks(stage.hooks, configured, { deps, signal: never });
    const verdict = await stage.hooks.beforeToolCall(call, never);
    expect(verdict).toMatchObject({ kind: "block", message: expect.stringMatching(why) });
    expect(verdict).toMatchObject({ message: expect.stringContaining(path) });
  });

  it("that must succeed block nothing when they do, or are about another tool [30:7.5]", async () => {
    for (const [answer, options] of [
      ["{}", {}],
      ["hello", { matcher: "term" }],
    ] as const) {
      const { stage, configured, deps } = await withScript(answer, { ...options, failClosed: true });
      await using _stage = stage;
      await registerShellHooks(stage.hooks, configured, { deps, signal: never });
      expect(await stage.hooks.beforeToolCall(call, never)).toEqual({ kind: "run" });
    }
  });

  it("run only with consent, which ends when the script changes [30:7.5] [30:W-27]", async () => {
    const { stage, configured, deps, path } = await withScript('{"action":"block","message":"m"}');
    await using _stage = stage;
    const asked: string[] = [];
    const ask = (event: string) => Promise.resolve(asked.push(event) > 0);
    const register = (extra: object) =>
      registerShellHooks(stage.hooks, configured, { deps: { ...deps, autoAccept: false, ...extra }, signal: never });
    expect(await register({})).toHaveLength(0);
    expect(await register({ ask })).toHaveLength(1);
    expect(await register({ ask })).toHaveLength(1);
    expect(asked).toEqual(["pre_tool_call"]);
    await writeFile(path, script("{}"));
    await chmod(path, 0o755);
    expect(await register({})).toHaveLength(0);
  });

  it("are left out when they make no sense [30:7.5]", () => {
    const logger = memoryLogger();
    const raw = {
      pre_tool_call: [{ command: 'a "b' }, { command: "a", matcher: "(" }, "x", { command: "ok", timeout: 900 }],
    };
    expect(readShellHooks(raw, logger)).toEqual([
      { event: "pre_tool_call", argv: ["ok"], timeoutMs: 300_000, failClosed: false, sandbox: true },
    ]);
    expect(logger.lines).toHaveLength(3);
  });

  it.each([
    [`a "b c" 'd"e' f\\ g`, ["a", "b c", 'd"e', "f g"]],
    [`"" x`, ["", "x"]],
    ["  ", []],
    [`a 'b`, undefined],
  ])("split %s without a shell [30:7.5]", (line, words) => {
    expect(splitCommand(line)).toEqual(words);
  });
});

describe("commands of shell hooks", () => {
  it("come back as the words they were quoted from [30:7.5]", () => {
    const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        expect(splitCommand(words.map(quoted).join(" "))).toEqual(words);
      }),
    );
  });
});

describe("what hooks are given", () => {
  it("is equal to the original, shares nothing with it and cannot be written to [30:7.5]", () => {
    fc.assert(
      fc.property(fc.object(), (value) => {
        const copy = frozenCopy(value);
        expect(copy).toEqual(value);
        expect(copy).not.toBe(value);
        expect(Object.isFrozen(copy)).toBe(true);
      }),
    );
  });

  it("keeps live objects and survives circles [30:7.5]", () => {
    const live = new Map();
    const circle: Record<string, unknown> = { live };
    circle["self"] = circle;
    const copy = frozenCopy(circle);
    expect(copy["live"]).toBe(live);
    expect(copy["self"]).toBe(copy);
  });
});

describe("gateway hooks", () => {
  it("are folders with a handler: a module, a program, python; errors go no further [30:7.5] [40:A-HOK-6] [40:HOK-2]", async () => {
    await using stage = await pluginStage();
    await stage.write({
      "hooks/a/HOOK.yaml": "name: first\nevents: ['command:*']",
      "hooks/a/handler.mjs": `import { appendFileSync } from "node:fs"; export const handle = (event, context) => appendFileSync(context.file, event + "\\n");`,
      "hooks/b/HOOK.yaml": "events: ['session:start']",
      "hooks/b/handler.mjs": `export const handle = () => { throw new Error("broke"); };`,
      "hooks/c/HOOK.yaml": "events: ['session:start']",
      "hooks/c/handler.py": `import json, sys\ndata = json.load(sys.stdin)\nopen(data["context"]["file"], "a").write("python " + data["event"] + "\\n")\n`,
      "hooks/d/HOOK.yaml": "events: ['*']",
      "hooks/d/handler": `#!/bin/sh\ncat > "${stage.home}/program.json"\n`,
      "hooks/e/HOOK.yaml": "events: []",
      "hooks/f/HOOK.yaml": "name: without events",
      "hooks/f/handler.mjs": "export const handle = () => undefined;",
      "hooks/g/handler.mjs": "export const handle = () => undefined;",
    });
    const file = join(stage.home, "log.txt");
    const builtin: string[] = [];
    const hooks = new GatewayHooks({
      logger: stage.logger,
      folder: join(stage.home, "hooks"),
      env: { PATH: process.env["PATH"] ?? "" },
      builtin: [{ name: "always", events: ["*"], handle: (event) => void builtin.push(event) }],
    });
    await hooks.load();
    expect(hooks.names).toEqual(["always", "first", "b", "c", "d"]);
    await hooks.fire("command:new", { file }, never);
    await hooks.fire("session:start", { file }, never);
    expect(await readFile(file, "utf8")).toBe("command:new\npython session:start\n");
    expect(JSON.parse(await readFile(join(stage.home, "program.json"), "utf8"))).toEqual({
      event: "session:start",
      context: { file },
    });
    expect(builtin).toEqual(["command:new", "session:start"]);
    expect(stage.logger.lines.map((line) => line.message)).toContain("gateway hook failed and was skipped");
  });

  it("of the gateway are told by their exact event first, then by the star of its family [40:HOK-4]", async () => {
    const told: string[] = [];
    const handler = (name: string, events: readonly string[], answer?: unknown) => ({
      name,
      events,
      handle: (event: string) => {
        told.push(`${name} ${event}`);
        return answer;
      },
    });
    const hooks = new GatewayHooks({
      logger: memoryLogger(),
      folder: "/nowhere",
      env: {},
      builtin: [
        handler("family", ["command:*"], { decision: "deny", message: "closed" }),
        handler("other", ["agent:*", "command"]),
        handler("exact", ["command:model"], { decision: "deny", message: "locked" }),
      ],
    });
    expect(await hooks.fire("command:model", {}, never)).toEqual({ decision: "deny", message: "locked" });
    expect(await hooks.fire("command:new", {}, never)).toEqual({ decision: "deny", message: "closed" });
    expect(await hooks.fire("session:end", {}, never)).toBeUndefined();
    expect(told).toEqual(["exact command:model", "family command:model", "family command:new"]);
  });
});
