import { describe, expect, it } from "vitest";
import { defined } from "#foundation/defined";
import { Deferred } from "#foundation/lifecycle/deferred";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import type { ToolTask } from "../contract/session-scope.ts";
import type { ExecResult, Terminal } from "../contract/terminal.ts";
import { folderTerminal, testScope } from "../testing.ts";
import { LeaseTable } from "./lease.ts";

const signal = new AbortController().signal;
const task = (taskId: string, key = "s"): ToolTask => ({ taskId, scope: testScope({ key }) });

function story(changes: { readonly isPersistent?: boolean; readonly exec?: Terminal["exec"] } = {}) {
  const clock = new FakeClock();
  const opened: ToolTask[] = [];
  const closed: string[] = [];
  const busy = new Set<string>();
  const gates: Promise<void>[] = [];
  const leases = new LeaseTable({
    async open(given) {
      const { taskId } = given;
      opened.push(given);
      await gates.shift();
      return {
        ...folderTerminal("/", taskId),
        isPersistent: changes.isPersistent ?? true,
        ...defined({ exec: changes.exec }),
        [Symbol.asyncDispose]() {
          closed.push(taskId);
          return Promise.resolve();
        },
      };
    },
    hasProcesses: (taskId) => busy.has(taskId),
    clock,
    logger: memoryLogger(),
  });
  return { clock, leases, opened, closed, busy, gates };
}

describe("the lease table", () => {
  it("[30:4.10-7] [30:ENV-20] makes one terminal for calls that come at the same time", async () => {
    const { leases, opened } = story();
    const [first, second, other] = await Promise.all([
      leases.take(task("T"), signal),
      leases.take(task("T"), signal),
      leases.take(task("U"), signal),
    ]);
    expect(first).toBe(second);
    expect(other).not.toBe(first);
    expect(opened.map((one) => one.taskId)).toEqual(["T", "U"]);
    await leases[Symbol.asyncDispose]();
  });

  it("[30:ENV-20] forgets a failure", async () => {
    const { leases, gates } = story();
    gates.push(Promise.reject(new Error("no daemon")));
    await expect(leases.take(task("T"), signal)).rejects.toThrow("no daemon");
    await expect(leases.take(task("T"), signal)).resolves.toMatchObject({ taskId: "T" });
    await leases[Symbol.asyncDispose]();
  });

  it("lets a caller stop waiting without ending the terminal for the others", async () => {
    const { leases, gates } = story();
    const gate = new Deferred<void>();
    gates.push(gate.promise);
    const stop = new AbortController();
    const impatient = leases.take(task("T"), stop.signal);
    const patient = leases.take(task("T"), signal);
    stop.abort(new Error("enough"));
    await expect(impatient).rejects.toThrow("enough");
    gate.resolve();
    await expect(patient).resolves.toMatchObject({ taskId: "T" });
    await leases[Symbol.asyncDispose]();
  });

  it("hands the session of a task to the factory, and closes all terminals of a session with it", async () => {
    const { leases, opened, closed } = story();
    await leases.take(task("T", "mine"), signal);
    await leases.take(task("child", "mine"), signal);
    await leases.take(task("U", "other"), signal);
    expect(opened.map(({ scope }) => scope.key)).toEqual(["mine", "mine", "other"]);
    await leases.endSession("mine");
    expect(closed.toSorted()).toEqual(["T", "child"]);
    expect(leases.peek("U")).toBeDefined();
    await leases[Symbol.asyncDispose]();
  });

  it("[30:4.10-8] [30:ENV-22] closes what was idle for 301 s, but not under a background process", async () => {
    const { clock, leases, closed, busy } = story();
    await leases.take(task("idle"), signal);
    await leases.take(task("busy"), signal);
    busy.add("busy");
    await clock.sleeping();
    await clock.advance(300_000);
    expect(closed).toEqual([]);
    await clock.advance(61_000);
    expect(closed).toEqual(["idle"]);
    expect(leases.peek("idle")).toBeUndefined();
    expect(leases.peek("busy")).toBeDefined();
    busy.clear();
    await clock.advance(60_000);
    expect(closed).toEqual(["idle", "busy"]);
    await leases[Symbol.asyncDispose]();
  });

  it("[30:ENV-22] does not reap under a running command, and counts from its end", async () => {
    const running = new Deferred<ExecResult>();
    const { clock, leases, closed } = story({ exec: () => running.promise });
    const terminal = await leases.take(task("T"), signal);
    const result = terminal.exec("long", { timeoutMs: 1, signal });
    await clock.sleeping();
    await clock.advance(600_000);
    expect(closed).toEqual([]);
    running.resolve({ output: "", exitCode: 0, ended: "exited", omittedBytes: 0, durationMs: 1 });
    await result;
    await clock.advance(240_000);
    expect(closed).toEqual([]);
    await clock.advance(120_000);
    expect(closed).toEqual(["T"]);
    await leases[Symbol.asyncDispose]();
  });

  it("[30:ENV-23] closes a terminal that keeps nothing when the turn ends", async () => {
    const passing = story({ isPersistent: false });
    await passing.leases.take(task("T"), signal);
    await passing.leases.endTurn("T");
    expect(passing.closed).toEqual(["T"]);
    const lasting = story();
    await lasting.leases.take(task("T"), signal);
    await lasting.leases.endTurn("T");
    expect(lasting.closed).toEqual([]);
    await lasting.leases[Symbol.asyncDispose]();
    expect(lasting.closed).toEqual(["T"]);
    await passing.leases[Symbol.asyncDispose]();
  });
});
