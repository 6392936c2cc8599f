import { tmpdir } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import { isValid } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { Deferred } from "#foundation/lifecycle/deferred";
import { FakeClock } from "#foundation/testing/fake-clock";
import { BudgetGate } from "#model";
import { MemoryMoneyLedger } from "#model/testing";
import { result } from "#tools";
import { fakeTool } from "#tools/testing";
import { calls, type Reply, says, serverError } from "../../../test/fakes/model-server/index.ts";
import { defaultIdentity } from "../prompt/layer-texts.ts";
import {
  childEvents,
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

async function delegation(supplied: DelegationGiven = {}) {
  const one = await openDelegation(supplied);
  open.push(one);
  return one;
}

describe("one delegated task", () => {
  it("comes back as one report; the parent's transcript grows by one tool message [10:A9.1] [10:DELEG-1]", async () => {
    const one = await delegation();
    play(one, { goal: "count the files", context: "in /srv" }, (_goal, number) =>
      number === 1 ? calls("terminal", { command: "ls" }) : says("There are 7."),
    );
    const ended = await one.agent.runConversation({ userMessage: "Go" });
    expect(ended.text).toBe("All done.");
    expect(one.recorded.map((message) => message.role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(isValid(ended.messages)).toBe(true);
    const { results, total_duration_seconds } = delegationResult(one.recorded);
    expect(results).toEqual([
      {
        task_index: 0,
        status: "completed",
        summary: "There are 7.",
        api_calls: 2,
        duration_seconds: expect.any(Number),
        model: "test-model",
        exit_reason: "text_response",
        tokens: { input: expect.any(Number), output: expect.any(Number) },
        tool_trace: [{ tool: "terminal", args_bytes: 16, result_bytes: 17, status: "ok" }],
        error: null,
      },
    ]);
    expect(results[0]?.tokens.input).toBeGreaterThan(0);
    expect(total_duration_seconds).toBeGreaterThanOrEqual(0);
    one.server.assertClean();
  });

  it("runs in a session, a task and a transcript of its own, on the default identity [10:DELEG-5] [10:DELEG-7] [10:A9.11]", async () => {
    const seen: string[] = [];
    const terminal = fakeTool("terminal", {
      execute: (_args, context) => Promise.resolve(result({ task: seen.push(context.taskId) })),
    });
    const one = await delegation({ tools: [terminal], ports: { workspace: () => tmpdir() } });
    play(one, { goal: "look", context: "The log says ENOENT." }, (_goal, number) =>
      number === 1 ? calls("terminal", { command: "ls" }) : says("Seen."),
    );
    await one.agent.runConversation({ userMessage: "Go", taskId: "main-task" });
    const [child] = one.stored;
    expect(child?.parent.sessionId).toBe("20260101_000000_0badf00d");
    expect(child?.child).toMatchObject({ source: "subagent", sessionId: "20260101_000000_00000001" });
    expect(child?.messages.map((message) => message.role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(child?.messages[0]?.content).toBe("look");
    expect(seen).toEqual([expect.stringMatching(/^sa-0-[0-9a-f]{8}$/)]);
    const system = one.server.requests[1]?.systemText ?? "";
    expect(system).toContain(defaultIdentity);
    expect(system).toContain("The log says ENOENT.");
    expect(system).toContain(`Work in this folder: ${tmpdir()}`);
    expect(system).not.toContain("SOUL");
    expect(system).not.toContain("likes tea");
    expect(one.server.requests[0]?.systemText).toContain("likes tea");
  });

  it("names no folder that is not really there [10:DELEG-5]", async () => {
    const one = await delegation({ ports: { workspace: () => "/nowhere/at/all" } });
    play(one, { goal: "look" }, () => says("Seen."));
    await one.agent.runConversation({ userMessage: "Go" });
    expect(one.server.requests[1]?.systemText).not.toContain("/nowhere");
  });

  it("has steps of its own: the parent's are not touched [10:A9.10] [10:LOOP-14]", async () => {
    const one = await delegation({ parentSteps: 2, settings: { maxSteps: 9 } });
    play(one, { goal: "count" }, (_goal, number) =>
      number < 8 ? calls("terminal", { command: `echo ${number}` }) : says("Eight."),
    );
    const ended = await one.agent.runConversation({ userMessage: "Go" });
    expect(ended).toMatchObject({ completed: true, apiCalls: 2 });
    expect(delegationResult(one.recorded).results[0]).toMatchObject({ status: "completed", api_calls: 8 });
  });

  it("ends with a summary when its steps are spent, and says so [10:A9.6] [10:D52]", async () => {
    const one = await delegation({ settings: { maxSteps: 2 } });
    play(one, { goal: "count", max_iterations: 99 }, (_goal, number) =>
      number < 3 ? calls("terminal", { command: `${number}` }) : says("Counted to two."),
    );
    await one.agent.runConversation({ userMessage: "Go" });
    expect(delegationResult(one.recorded).results[0]).toMatchObject({
      status: "completed",
      summary: "Counted to two.",
      exit_reason: "max_iterations_reached",
      error: null,
    });
  });

  it("reports a failed child with the real reason [10:D52]", async () => {
    const one = await delegation();
    play(one, { goal: "try" }, () => serverError());
    await one.agent.runConversation({ userMessage: "Go" });
    const [entry] = delegationResult(one.recorded).results;
    expect(entry).toMatchObject({ status: "failed", summary: null, exit_reason: "api_retries_exhausted" });
    expect(entry?.error).toBeTruthy();
  });

  it("reports parts that could not be built as an error, and closes what was opened", async () => {
    const one = await delegation({ ports: { openChild: () => Promise.reject(new Error("no terminal left")) } });
    play(one, { goal: "try" }, () => says("never"));
    await one.agent.runConversation({ userMessage: "Go" });
    expect(delegationResult(one.recorded).results[0]).toMatchObject({
      status: "error",
      exit_reason: "error",
      error: "no terminal left",
    });
    expect(milestones(one.events)).toEqual(["spawn-requested", "complete"]);
  });
});

describe("a batch", () => {
  it("gives results in the order of the tasks, whatever the order of their ends [10:A9.3]", async () => {
    const gates = new Map(["a", "b", "c"].map((goal) => [goal, new Deferred<void>()]));
    const wait = fakeTool("terminal", {
      concurrency: "safe",
      execute: async (args) => {
        await gates.get(String(args["command"]))?.promise;
        return result({ ok: true });
      },
    });
    const one = await delegation({
      tools: [wait],
      ports: { onDelegation: (task) => gates.get(task === "c" ? "a" : "b")?.resolve() },
    });
    play(one, tasks("a", "b", "c"), (goal, number) =>
      number === 1 ? calls("terminal", { command: goal }) : says(`did ${goal}`),
    );
    gates.get("c")?.resolve();
    await one.agent.runConversation({ userMessage: "Go" });
    const { results } = delegationResult(one.recorded);
    expect(results.map(({ task_index, summary }) => [task_index, summary])).toEqual([
      [0, "did a"],
      [1, "did b"],
      [2, "did c"],
    ]);
    const ends = childEvents(one.events).filter(({ milestone }) => milestone?.kind === "complete");
    expect(ends.map(({ task }) => task)).toEqual(["c", "a", "b"]);
  });

  it("that is too large starts nobody and names the limit [10:A9.2] [30:3.11]", async () => {
    const one = await delegation();
    play(one, tasks("a", "b", "c", "d"), () => says("never"));
    await one.agent.runConversation({ userMessage: "Go" });
    expect(delegationResult(one.recorded).error).toContain("at most 3");
    expect(one.opened).toEqual([]);
  });

  it("of twenty finishes, twelve at a time over the whole process [10:DELEG-1]", async () => {
    let running = 0;
    let most = 0;
    const busy = fakeTool("terminal", {
      execute: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return result({ ok: true });
      },
    });
    const one = await delegation({ tools: [busy], settings: { maxConcurrentChildren: 20 } });
    const goals = Array.from({ length: 20 }, (_, index) => `task ${index}`);
    const working = new Set<string>();
    let mostOpen = 0;
    play(one, tasks(...goals), (goal, number) => {
      working.add(goal);
      mostOpen = Math.max(mostOpen, one.table.list().length);
      return number < 3 ? calls("terminal", { command: `${goal} ${number}` }) : says(`did ${goal}`);
    });
    await one.agent.runConversation({ userMessage: "Go" });
    const { results } = delegationResult(one.recorded);
    expect(results.map(({ status, summary }) => `${status} ${summary}`)).toEqual(
      goals.map((goal) => `completed did ${goal}`),
    );
    expect(mostOpen).toBe(12);
    expect(most).toBeGreaterThan(1);
    expect(new Set(one.closed).size).toBe(20);
    expect(one.table.list()).toEqual([]);
    expect(milestones(one.events).filter((kind) => kind === "complete")).toHaveLength(20);
  });

  it("shares one purse: the ceiling of the tree stops the children that come too late [10:DELEG-6]", async () => {
    const clock = new FakeClock();
    const ledger = new MemoryMoneyLedger(clock);
    const gate = new BudgetGate({
      limits: () => ({ mode: "hard", unknownPrice: "allow", treeUsd: 2.5 }),
      ledger,
      clock,
      logger: silentLogger,
    });
    const trees = new Set<string | undefined>();
    const one = await delegation({
      maxTotalChildren: 1,
      moneyFor: (spec, sessionId) => ({
        async reserve(request) {
          trees.add(spec?.treeId);
          const spender = spec === undefined ? { sessionId } : { sessionId, treeId: spec.treeId };
          const caller = { spender, purpose: "main", target: request.target };
          const outcome = await gate.reserve(caller, { nanoUsd: 1_000_000_000, isAssumed: false });
          if (outcome.kind === "reserved") return { id: outcome.id };
          const { provider, model } = request.target;
          const flags = { isPartial: false, isRetryable: false, mayCompress: false, mayRotate: false };
          return {
            refused: { kind: "budget_exceeded", provider, model, message: "too dear", mayFallBack: false, ...flags },
          };
        },
        async settle(id, { usage }) {
          const cost = { status: "estimated", source: "test", usd: 1 } as const;
          await gate.settle(id, { usage, cost });
          return cost;
        },
        release: (id) => gate.release(id),
      }),
    });
    play(one, tasks("a", "b", "c"), (goal) => says(`did ${goal}`));
    await one.agent.runConversation({ userMessage: "Go" });
    const { results } = delegationResult(one.recorded);
    expect(results.map(({ status, exit_reason }) => [status, exit_reason])).toEqual([
      ["completed", "text_response"],
      ["completed", "text_response"],
      ["failed", "budget_exceeded"],
    ]);
    expect((await ledger.spent({ treeId: "20260101_000000_0badf00d" })).usd).toBe(2);
    expect([...trees]).toEqual([undefined, "20260101_000000_0badf00d"]);
  });
});

describe("refusals", () => {
  const refused = async (args: Readonly<Record<string, unknown>>, supplied: DelegationGiven = {}) => {
    const one = await delegation(supplied);
    play(one, args, () => says("never"));
    await one.agent.runConversation({ userMessage: "Go" });
    expect(one.opened).toEqual([]);
    return delegationResult(one.recorded).error ?? "";
  };

  it("nothing to do, and a task without a goal, which is named [10:DELEG-1]", async () => {
    expect(await refused({ context: "only this" })).toContain("give a goal");
    expect(await refused({ tasks: [{ goal: "a" }, { context: "b" }] })).toContain("Task 1 has no goal");
  });

  it("an outside program that is not listed [30:W-07]", async () => {
    expect(await refused({ goal: "a", acp_command: "/bin/evil" })).toContain("/bin/evil");
  });

  it("a model for children that cannot be used", async () => {
    const childTarget = () => Promise.resolve({ kind: "failure", message: "no key for x" } as const);
    expect(await refused({ goal: "a" }, { ports: { childTarget } })).toContain("no key for x");
  });

  it("while starting is paused; afterwards it works again [10:DELEG-9]", async () => {
    const one = await delegation();
    play(one, { goal: "a" }, () => says("did a"));
    one.table.pause();
    await one.agent.runConversation({ userMessage: "Go" });
    expect(delegationResult(one.recorded).error).toContain("paused");
    expect(one.opened).toEqual([]);
    one.table.resume();
    one.recorded.length = 0;
    await one.agent.runConversation({ userMessage: "Again", history: [] });
    expect(delegationResult(one.recorded).results[0]?.status).toBe("completed");
  });
});

describe("roles and depth", () => {
  const nested = (goal: string, number: number): Reply => {
    if (goal === "outer" && number === 1)
      return calls("delegate_task", { tasks: [{ goal: "inner", role: "orchestrator" }] });
    return says(`did ${goal}`);
  };

  it("a leaf has no delegate_task; calling it anyway ends like any unknown tool [10:A9.5]", async () => {
    const one = await delegation();
    play(one, { goal: "outer", role: "orchestrator" }, nested);
    await one.agent.runConversation({ userMessage: "Go" });
    expect(one.opened.map(({ role, depth }) => [role, depth])).toEqual([["leaf", 1]]);
    expect(one.server.requests[1]?.toolNames).not.toContain("delegate_task");
    const { results, warnings } = delegationResult(one.recorded);
    expect(results[0]).toMatchObject({ status: "completed", summary: "did outer" });
    expect(warnings).toEqual([expect.stringContaining("as a leaf")]);
  });

  it("an orchestrator delegates where the depth allows; its children are leaves [10:A9.5] [10:DELEG-4]", async () => {
    const one = await delegation({ settings: { maxSpawnDepth: 2 }, maxTotalChildren: 1 });
    play(one, { goal: "outer", role: "orchestrator" }, nested);
    await one.agent.runConversation({ userMessage: "Go" });
    expect(one.opened.map(({ role, depth, treeId }) => [role, depth, treeId])).toEqual([
      ["orchestrator", 1, "20260101_000000_0badf00d"],
      ["leaf", 2, "20260101_000000_0badf00d"],
    ]);
    expect(one.server.requests[1]?.systemText).toContain("depth 1 of 2");
    expect(one.server.requests[2]?.toolNames).not.toContain("delegate_task");
    const outer = one.stored[0]?.messages ?? [];
    expect(delegationResult(outer).results[0]).toMatchObject({ status: "completed", summary: "did inner" });
    expect(delegationResult(one.recorded).results[0]).toMatchObject({ status: "completed", summary: "did outer" });
    expect(one.stored[1]?.parent.sessionId).toBe(one.stored[0]?.child.sessionId);
    const inner = childEvents(one.events).find(({ task }) => task === "inner");
    expect(inner?.child).toMatchObject({ depth: 2, parentId: one.opened[0]?.id });
  });

  it("switched off, everybody is a leaf [10:DELEG-4]", async () => {
    const one = await delegation({ settings: { maxSpawnDepth: 3, isOrchestratorEnabled: false } });
    play(one, { goal: "outer", role: "orchestrator" }, () => says("did it"));
    await one.agent.runConversation({ userMessage: "Go" });
    expect(one.opened[0]?.role).toBe("leaf");
  });

  it("an unknown role is a leaf, with a warning [10:DELEG-1]", async () => {
    const one = await delegation();
    play(one, { tasks: [{ goal: "a", role: "boss" }] }, () => says("did it"));
    await one.agent.runConversation({ userMessage: "Go" });
    expect(delegationResult(one.recorded).warnings).toEqual([expect.stringContaining('"boss"')]);
  });
});
