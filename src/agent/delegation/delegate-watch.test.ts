import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { isValid } from "#conversation";
import { FakeClock } from "#foundation/testing/fake-clock";
import type { Tool } from "#tools";
import { result } from "#tools";
import { fakeTool } from "#tools/testing";
import { calls, hang, reply, says, serverError } from "../../../test/fakes/model-server/index.ts";
import {
  childEvents,
  type Delegation,
  type DelegationGiven,
  delegationResult,
  milestones,
  openDelegation,
  play,
  tasks,
} from "./testing.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

async function delegation(input: DelegationGiven = {}) {
  const one = await openDelegation(input);
  open.push(one);
  return one;
}

/** A tool that says which files it used: those its `path` names, separated by commas. */
const fileTool = (name: string, use: "read" | "changed") =>
  fakeTool(name, {
    execute: ({ path }) =>
      Promise.resolve(result({ ok: true }, { details: { kind: "files", [use]: String(path).split(",") } })),
  });

describe("stopping", () => {
  const deaf = (): Tool => fakeTool("terminal", { execute: () => new Promise(() => undefined) });

  it("the parent stops all children, also deaf ones, which are not waited for [10:A9.7] [10:DELEG-8] [10:ARCH-6]", async () => {
    const one = await delegation({ tools: [deaf()] });
    play(one, tasks("a", "b", "c"), (goal) => (goal === "a" ? hang() : calls("terminal", { command: goal })));
    const running = one.agent.runConversation({ userMessage: "Go" });
    await one.server.received(4);
    await until(() => childEvents(one.events).filter(({ event }) => event.type === "tool-start").length === 2);
    one.agent.interrupt();
    const ended = await running;
    expect(ended.interrupted).toBe(true);
    const { results } = delegationResult(one.recorded);
    expect(results.map(({ status }) => status)).toEqual(["interrupted", "interrupted", "interrupted"]);
    expect(results[1]?.tool_trace).toEqual([
      { tool: "terminal", args_bytes: 15, result_bytes: 0, status: "unfinished" },
    ]);
    expect(isValid(ended.messages)).toBe(true);
    expect(milestones(one.events).filter((kind) => kind === "complete")).toHaveLength(3);
  });

  it("reaches grandchildren [10:DELEG-8]", async () => {
    const one = await delegation({ settings: { maxSpawnDepth: 2 } });
    play(one, { goal: "outer", role: "orchestrator" }, (goal) =>
      goal === "outer" ? calls("delegate_task", { goal: "inner" }) : hang(),
    );
    const running = one.agent.runConversation({ userMessage: "Go" });
    await one.server.received(3);
    one.agent.interrupt();
    await running;
    await one.server.clientLeft(3);
    expect(delegationResult(one.recorded).results[0]?.status).toBe("interrupted");
    expect(delegationResult(one.stored[0]?.messages ?? []).results[0]?.status).toBe("interrupted");
    expect(one.table.list()).toEqual([]);
  });

  it("one child by its id; its siblings go on [10:DELEG-9]", async () => {
    const one = await delegation();
    play(one, tasks("a", "b"), (goal) => (goal === "a" ? hang() : says("did b")));
    const running = one.agent.runConversation({ userMessage: "Go" });
    await one.server.received(3);
    const id = one.table.list().find(({ goal }) => goal === "a")?.id ?? "";
    expect(one.table.interrupt(id, "enough")).toBe(true);
    expect(one.table.interrupt("sa-9-00000000")).toBe(false);
    await running;
    expect(delegationResult(one.recorded).results.map(({ status }) => status)).toEqual(["interrupted", "completed"]);
  });

  it("a child that takes too long is stopped and reported; without any answer a note is left [10:DELEG-9]", async () => {
    const logs = await mkdtemp(path.join(tmpdir(), "hermes-delegation-"));
    try {
      const clock = new FakeClock();
      const ports = { logsFolder: logs, redact: (text: string) => text.replaceAll("hunter2", "***") };
      const one = await delegation({ clock, ports, settings: { childTimeoutMs: 1 } });
      play(one, { goal: "use hunter2" }, () => hang());
      const running = one.agent.runConversation({ userMessage: "Go" });
      await one.server.received(2);
      await clock.advance(29_000);
      expect(one.table.list()).toHaveLength(1);
      await clock.advance(1_000);
      await running;
      const [entry] = delegationResult(one.recorded).results;
      expect(entry).toMatchObject({ status: "timeout", api_calls: 0, exit_reason: "interrupted_during_api_call" });
      expect(entry?.error).toContain("after 30 s");
      const [file] = await readdir(logs);
      expect(file).toMatch(/^subagent-timeout-sa-0-[0-9a-f]{8}-2026/);
      expect(entry?.error).toContain(file);
      const note = await readFile(path.join(logs, file ?? ""), "utf8");
      expect(note).toContain("goal: use ***");
      expect(note).toContain("got as far as: its first request");
    } finally {
      await rm(logs, { recursive: true, force: true });
    }
  });

  it("waiting for a place is not working: a child stopped there never starts", async () => {
    const one = await delegation({ maxTotalChildren: 1 });
    play(one, tasks("a", "b"), () => hang());
    const running = one.agent.runConversation({ userMessage: "Go" });
    await one.server.received(2);
    one.agent.interrupt();
    await running;
    expect(one.opened).toHaveLength(1);
    expect(delegationResult(one.recorded).results.map(({ status }) => status)).toEqual(["interrupted", "interrupted"]);
  });
});

describe("what the parent hears", () => {
  it("every event carries the child's place; start, progress and end are told once [10:DELEG-12] [10:D52]", async () => {
    const one = await delegation({
      tools: [fakeTool("terminal"), fileTool("read_file", "read"), fileTool("write_file", "changed")],
    });
    play(one, { goal: "work" }, (_goal, number) => {
      if (number === 1) return calls("read_file", { path: "/a.txt" });
      if (number === 2) return calls("write_file", { path: "/b.txt", content: "x" });
      if (number < 7) return calls("terminal", { command: `${number}` });
      return reply([says("x".repeat(600))]);
    });
    await one.agent.runConversation({ userMessage: "Go" });
    const events = childEvents(one.events);
    expect(milestones(one.events)).toEqual(["spawn-requested", "start", "progress", "complete"]);
    expect(events[0]?.event.type).toBe("notice");
    expect(events.at(-1)?.event.type).toBe("turn-end");
    expect(events.filter(({ event }) => event.type === "turn-end")).toHaveLength(1);
    expect(events.filter(({ event }) => event.type === "tool-start")).toHaveLength(6);
    for (const { childId, child } of events) {
      expect(childId).toMatch(/^sa-0-[0-9a-f]{8}$/);
      expect(child).toMatchObject({ depth: 1, taskIndex: 0, taskCount: 1, goal: "work", model: "test-model" });
      expect(child?.toolsets).toEqual(["test", "todo"]);
    }
    const end = events.at(-1)?.milestone;
    expect(end).toMatchObject({
      kind: "complete",
      status: "completed",
      apiCalls: 7,
      filesRead: ["/a.txt"],
      filesWritten: ["/b.txt"],
    });
    if (end?.kind !== "complete") throw new Error("no end");
    expect(end.summary.length).toBeLessThanOrEqual(500);
    expect(end.outputs).toHaveLength(6);
    expect(events.at(-1)?.child?.toolCount).toBe(6);
  });

  it("memory and hooks hear of each child once, one at a time; their failures change nothing [10:DELEG-11] [10:A7.10]", async () => {
    const told: string[] = [];
    let inHook = 0;
    const one = await delegation({
      ports: {
        onDelegation: (task, said, { childSessionId }) =>
          void told.push(`${task}: ${said} (${childSessionId.slice(-1)})`),
        async onChildStop(stop) {
          inHook += 1;
          expect(inHook).toBe(1);
          await Promise.resolve();
          inHook -= 1;
          told.push(`${stop.child_role} ${stop.child_status} of ${stop.parent_session_id.slice(-8)}`);
          throw new Error("a hook that fails");
        },
      },
    });
    play(one, tasks("a", "b"), (goal) => says(`did ${goal}`));
    await one.agent.runConversation({ userMessage: "Go" });
    expect(delegationResult(one.recorded).results.map(({ status }) => status)).toEqual(["completed", "completed"]);
    expect(told.toSorted()).toEqual([
      "a: did a (1)",
      "b: did b (2)",
      "leaf completed of 0badf00d",
      "leaf completed of 0badf00d",
    ]);
    expect(one.closed).toHaveLength(2);
  });

  it("names files it had read and the child has written, eight at most [10:DELEG-1]", async () => {
    const files = Array.from({ length: 10 }, (_, index) => `/srv/app/f${index}.ts`);
    const one = await delegation({
      tools: [fileTool("patch", "changed")],
      ports: { changedByOthers: (taskId) => (taskId === "main" ? [...files, "/srv/app/other.ts"] : []) },
    });
    const path = files.map((_, index) => `f${index}.ts`).join(",");
    play(one, { goal: "edit" }, (_goal, number) => (number === 1 ? calls("patch", { path }) : says("Edited.")));
    await one.agent.runConversation({ userMessage: "Go", taskId: "main" });
    const summary = delegationResult(one.recorded).results[0]?.summary ?? "";
    expect(summary).toMatch(/^Edited\.\n\n\[It changed files that you had read: /);
    expect(summary).toContain("/srv/app/f7.ts and 2 more");
    expect(summary).not.toContain("f8.ts");
    expect(summary).not.toContain("other.ts");
  });

  it("hears a sign of life every 30 s while the child gets on, and none once it stands still [10:DELEG-10]", async () => {
    const clock = new FakeClock();
    const one = await delegation({ clock, settings: { childTimeoutMs: 3_600_000 } });
    play(one, { goal: "think" }, () => hang());
    const running = one.agent.runConversation({ userMessage: "Go" });
    await one.server.received(2);
    for (let beat = 0; beat < 12; beat += 1) await clock.advance(30_000);
    const beats = one.events.filter((event) => event.type === "tool-update");
    expect(beats).toHaveLength(5);
    one.agent.interrupt();
    await clock.advance(10);
    await running;
  });
});

describe("fallback of children [20:R5.16]", () => {
  const chain = [{ provider: "custom", model: "spare" }];
  const run = async (settings: DelegationGiven["settings"]) => {
    const one = await delegation({ fallbackChain: chain, settings: settings ?? {} });
    play(one, { goal: "a" }, () => says("did a"));
    await one.agent.runConversation({ userMessage: "Go" });
    return one.opened[0]?.conversation.fallback.chain;
  };

  it("children use the parent's chain, their own, or none [10:DELEG-6]", async () => {
    expect(await run({})).toEqual(chain);
    expect(await run({ inheritsFallback: false })).toEqual([]);
    expect(await run({ fallbackChain: [] })).toEqual([]);
  });

  it("a child goes on with the next model and says which one it ended on [10:DELEG-6]", async () => {
    const one: Delegation = await delegation({
      fallbackChain: chain,
      remedies: {
        resolve: () => Promise.resolve({ kind: "target", target: { ...one.conversation.target, model: "spare" } }),
      },
    });
    play(one, { goal: "a" }, (_goal, number) => (number === 1 ? serverError() : says("did a")));
    await one.agent.runConversation({ userMessage: "Go" });
    expect(delegationResult(one.recorded).results[0]).toMatchObject({ status: "completed", model: "spare" });
    expect(one.conversation.target.model).toBe("test-model");
  });
});

/** Lets the loop turn until it is so. */
async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 100_000 && !isSo(); turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(isSo()).toBe(true);
}
