import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { Slots } from "#foundation/lifecycle/slots";
import { staleFilesNote } from "./child-run.ts";
import { createDelegateTool } from "./delegate-tool.ts";
import { feel, noPulse, type Pulse } from "./heartbeat.ts";
import { boundedSettings } from "./settings.ts";
import { readTasks } from "./task.ts";

describe("settings", () => {
  it("stay within their bounds [10:DELEG-4]", () => {
    const wild = { maxConcurrentChildren: 0, maxSpawnDepth: 9, maxSteps: -1, childTimeoutMs: 5 };
    expect(boundedSettings(wild)).toMatchObject({
      maxConcurrentChildren: 1,
      maxSpawnDepth: 3,
      maxSteps: 1,
      childTimeoutMs: 30_000,
    });
    expect(boundedSettings({ maxSpawnDepth: Number.NaN }).maxSpawnDepth).toBe(1);
  });
});

describe("places", () => {
  it("are as many as said, and go to whoever came first", async () => {
    const slots = new Slots(1);
    const first = await slots.take(never);
    const order: string[] = [];
    const taken = async (name: string) => {
      const slot = await slots.take(never);
      order.push(name);
      return slot;
    };
    const [second, third] = [taken("second"), taken("third")];
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    (await second)[Symbol.dispose]();
    (await third)[Symbol.dispose]();
    expect(order).toEqual(["second", "third"]);
  });

  it("can be lent, so that a chain of waiting parents never blocks its children", async () => {
    const slots = new Slots(1);
    const nested = async (depth: number): Promise<number> => {
      using slot = await slots.take(never);
      return depth === 0 ? 0 : 1 + (await slot.lend(() => nested(depth - 1), never));
    };
    expect(await nested(3)).toBe(3);
    (await slots.take(never))[Symbol.dispose]();
  });

  it("that were lent are not taken back by someone who was stopped", async () => {
    const slots = new Slots(1);
    const stop = new AbortController();
    const slot = await slots.take(never);
    const held = new Deferred<Disposable>();
    const lending = slot.lend(async () => {
      held.resolve(await slots.take(never));
      stop.abort();
      return "done";
    }, stop.signal);
    expect(await lending).toBe("done");
    slot[Symbol.dispose]();
    (await held.promise)[Symbol.dispose]();
    (await slots.take(never))[Symbol.dispose]();
  });

  it("waiting for one ends with the signal, and the place goes to the next", async () => {
    const slots = new Slots(1);
    const first = await slots.take(never);
    const stop = new AbortController();
    const gone = slots.take(stop.signal);
    const next = slots.take(never);
    stop.abort(new Error("stopped"));
    await expect(gone).rejects.toThrow("stopped");
    first[Symbol.dispose]();
    (await next)[Symbol.dispose]();
  });
});

describe("a pulse [10:DELEG-10]", () => {
  const looks = (count: number, standing: { step: number; tool: string | undefined; tools: number }): number => {
    let pulse: Pulse = noPulse;
    let beats = 0;
    for (let look = 0; look < count; look += 1) {
      const felt = feel(pulse, standing);
      pulse = felt.pulse;
      if (felt.isAlive) beats += 1;
    }
    return beats;
  };

  it("is felt five times at the same place, twenty inside a tool, and again after progress", () => {
    expect(looks(30, { step: 1, tool: undefined, tools: 0 })).toBe(5);
    expect(looks(30, { step: 1, tool: "terminal", tools: 1 })).toBe(20);
    const still = { last: { step: 1, tool: undefined, tools: 1 }, still: 9 };
    expect(feel(still, { step: 2, tool: undefined, tools: 1 })).toMatchObject({ isAlive: true, pulse: { still: 0 } });
  });
});

describe("the note on changed files", () => {
  it("knows a file by its end, from the home or the folder, and never by half a name", () => {
    expect(staleFilesNote(["/srv/a/b.ts"], ["./a/b.ts"])).toContain("/srv/a/b.ts");
    expect(staleFilesNote(["/home/u/b.ts"], ["~/b.ts"])).toContain("/home/u/b.ts");
    expect(staleFilesNote(["/srv/ab.ts"], ["b.ts"])).toBe("");
    expect(staleFilesNote([], ["b.ts"])).toBe("");
  });
});

describe("reading tasks", () => {
  const limits = { maxConcurrentChildren: 3, acpCommands: [] };

  it("tasks win over a single goal; shared toolsets are their default [10:DELEG-1]", () => {
    const read = readTasks(
      {
        goal: "single",
        toolsets: ["web"],
        role: "orchestrator",
        tasks: [{ goal: "a" }, { goal: "b", toolsets: ["file"], role: "leaf" }],
      },
      limits,
    );
    expect(read).toMatchObject({
      kind: "tasks",
      tasks: [
        { goal: "a", toolsets: ["web"], role: "orchestrator" },
        { goal: "b", toolsets: ["file"], role: "leaf" },
      ],
    });
    expect(readTasks({ goal: "single", tasks: [] }, limits)).toMatchObject({ tasks: [{ goal: "single" }] });
  });

  it("refuses what is far too long, and starts nothing", () => {
    expect(readTasks({ goal: "x".repeat(400_001) }, limits)).toMatchObject({ kind: "refused" });
  });

  it("gives tasks with goals within the limit, or a refusal, for any arguments", () => {
    const value = fc.oneof(fc.string(), fc.jsonValue());
    const task = fc.record({ goal: value, context: value, toolsets: value, role: value }, { requiredKeys: [] });
    const args = fc.record(
      {
        goal: value,
        context: value,
        toolsets: value,
        role: value,
        acp_command: value,
        tasks: fc.oneof(value, fc.array(task)),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(args, (input) => {
        const typed = createDelegateTool().read?.(input);
        if (typed?.kind !== "ok") return typed?.reason !== "";
        const read = readTasks(typed.args, limits);
        if (read.kind === "refused") return read.error !== "";
        return read.tasks.length > 0 && read.tasks.length <= 3 && read.tasks.every(({ goal }) => goal.trim() !== "");
      }),
    );
  });
});
