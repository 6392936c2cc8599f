import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newToolCall } from "#conversation";
import { defined } from "#foundation/defined";
import { silentLogger } from "#foundation/files/logger";
import { Redactor } from "#foundation/secrets/redact";
import { FakeClock } from "#foundation/testing/fake-clock";
import { systemClock } from "#foundation/time/clock";
import { combineObservers } from "../call/combine-observers.ts";
import { Toolbelt } from "../call/toolbelt.ts";
import type { CallObserver } from "../contract/call-state.ts";
import { result } from "../contract/result.ts";
import { denyAll } from "../contract/unattended-scope.ts";
import { fakeTool, listingOf, registryOf, toolContext } from "../testing.ts";
import { createGate } from "./gate.ts";
import { Grants } from "./grants.ts";
import { YoloSwitch } from "./modes.ts";
import { type AuditDetail, type ToolAudit, toolAudit } from "./tool-audit.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hermes-audit-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const turn = { sessionId: "ses_1", sessionKey: "cli", taskId: "default", surface: "cli" };
const open = (detail: AuditDetail, maxBytes?: number): ToolAudit =>
  toolAudit({
    file: path.join(folder, "tool-audit.jsonl"),
    detail,
    redactor: new Redactor(),
    clock: new FakeClock(Date.UTC(2026, 0, 2)),
    onProblem: (message) => expect.fail(message),
    ...defined({ maxBytes }),
  });

/** A belt with a real gate in front of one tool that runs commands. */
async function beltWith(audit: ToolAudit) {
  const gate = createGate({
    approver: denyAll,
    grants: new Grants({ load: () => [], add: () => Promise.resolve() }, { clock: systemClock, logger: silentLogger }),
    yolo: new YoloSwitch({ forProcess: false, isAllowed: true }),
    mode: () => "manual",
    surfaceRules: { cron: "deny", headless: "deny" },
    permissions: undefined,
    location: () => ({
      cwd: "/w",
      home: "/home/me",
      hermesHome: "/home/me/.hermes",
      tempDirs: ["/tmp"],
      workspace: "/w",
    }),
    isContained: () => false,
    audit: (entry) => audit.decided(entry),
    clock: systemClock,
  });
  const terminal = fakeTool("terminal", {
    concurrency: "safe",
    async execute(args, context) {
      const verdict = await gate.checkCommand(String(args["command"]), {
        ...context,
        tool: "terminal",
        cwd: "/w",
        terminalKind: "local",
      });
      if (verdict.kind === "blocked")
        return result(
          { error: verdict.reason, exit_code: -1 },
          { isError: true, details: { kind: "command", isRefused: true } },
        );
      return result({ output: "done", exit_code: 3 }, { details: { kind: "command", exitCode: 3 } });
    },
  });
  const belt = new Toolbelt({
    listing: await listingOf(registryOf(terminal).registry),
    files: { keep: () => Promise.resolve("/nowhere") },
    clock: systemClock,
    logger: silentLogger,
    redact: (text) => text,
  });
  return (commands: readonly string[], observer: CallObserver) =>
    belt.run(
      commands.map((command, index) =>
        newToolCall({ id: `call_${index}`, name: "terminal", arguments: JSON.stringify({ command }) }),
      ),
      { context: toolContext(turn), observer },
      new AbortController().signal,
    );
}

async function linesOf(name = "tool-audit.jsonl"): Promise<Record<string, unknown>[]> {
  const text = await readFile(path.join(folder, name), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("the record of tool calls", () => {
  it("[30:W-34] [30:9.1] twenty calls give twenty lines, and the denied one names its key", async () => {
    const audit = open("summary");
    const run = await beltWith(audit);
    const commands = Array.from({ length: 20 }, (_, index) => (index === 7 ? "rm -rf ./build" : `echo ${index}`));
    await run(commands, audit.observe(turn));
    await audit[Symbol.asyncDispose]();
    const lines = await linesOf();
    expect(lines).toHaveLength(20);
    const denied = lines.filter((line) => line["decision"] === "denied");
    expect(denied).toHaveLength(1);
    expect(denied[0]).toMatchObject({ call_id: "call_7", outcome: "failed" });
    expect(denied[0]).not.toHaveProperty("exit_code");
    expect(denied[0]?.["keys"]).not.toEqual([]);
    expect(lines[0]).toMatchObject({
      time: "2026-01-02T00:00:00.000Z",
      session: "ses_1",
      tool: "terminal",
      args_preview: '{"command":"echo 0"}',
      args_sha256: "d74d8ddcc86693de4ff1f22f40dda9dc3abd058c3605a5c29cc1db149fbf3202",
      decision: "free",
      keys: [],
      exit_code: 3,
    });
    expect(lines[0]).not.toHaveProperty("result");
    expect((await stat(path.join(folder, "tool-audit.jsonl"))).mode & 0o077).toBe(0);
  });

  it("[30:W-34] secrets are masked before the preview is cut; only `full` keeps the result", async () => {
    const audit = open("full");
    const run = await beltWith(audit);
    const secret = `ghp_${"a1B2c3D4".repeat(5)}`;
    await run([`echo ${"x".repeat(165)} ${secret}`], audit.observe(turn));
    await audit[Symbol.asyncDispose]();
    const text = await readFile(path.join(folder, "tool-audit.jsonl"), "utf8");
    expect(text).not.toContain("ghp_a1B2c3D4a1");
    expect((await linesOf())[0]).toMatchObject({ result: '{"output":"done","exit_code":3}' });
  });

  it("[30:W-34] `off` writes nothing; a large file is set aside, never rewritten", async () => {
    const off = open("off");
    await (await beltWith(off))(["echo 1"], off.observe(turn));
    await off[Symbol.asyncDispose]();
    expect(await readdir(folder)).toEqual([]);
    for (let round = 0; round < 3; round += 1) {
      const audit = open("summary", 300);
      await (await beltWith(audit))(["echo 1"], audit.observe(turn));
      await audit[Symbol.asyncDispose]();
    }
    expect((await readdir(folder)).sort()).toEqual(["tool-audit.jsonl", "tool-audit.jsonl.1", "tool-audit.jsonl.2"]);
  });
});

describe("observers together", () => {
  it("see each other's changes in order, and the record shows the arguments as they ran", async () => {
    const audit = open("summary");
    const seen: string[] = [];
    const observer = combineObservers(
      { beforeCall: () => Promise.resolve({ args: { command: "echo changed" } }), onStart: () => seen.push("first") },
      {
        beforeCall: (_, args) => {
          seen.push(String(args["command"]));
          return Promise.resolve(undefined);
        },
        afterCall: () => Promise.resolve('{"output":"shorter"}'),
      },
      { afterCall: (outcome) => Promise.resolve(outcome.text.replace("shorter", "shortest")) },
      audit.observe(turn),
    );
    const [message] = await (await beltWith(audit))(["echo 1"], observer);
    await audit[Symbol.asyncDispose]();
    expect(message?.content).toBe('{"output":"shortest"}');
    expect(seen).toEqual(["first", "echo changed"]);
    expect((await linesOf())[0]).toMatchObject({ args_preview: '{"command":"echo changed"}' });
  });

  it("a refusal ends the asking; no change means nothing is replaced", async () => {
    let isAsked = false;
    const call = newToolCall({ id: "a", name: "terminal", arguments: "{}" });
    const refusing = combineObservers(
      { beforeCall: () => Promise.resolve("no") },
      {
        beforeCall: () => {
          isAsked = true;
          return Promise.resolve(undefined);
        },
      },
    );
    expect(await refusing.beforeCall(call, {})).toBe("no");
    expect(isAsked).toBe(false);
    expect(await combineObservers({}, {}).beforeCall(call, {})).toBeUndefined();
  });
});
