import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SessionId, type TurnResult, unstartedTurn } from "#conversation";
import { Deferred } from "#foundation/lifecycle/deferred";
import type { BusyMode } from "../settings.ts";
import { Coordinator } from "./coordinator.ts";
import type { Admitted } from "./inbox.ts";

const message = (text: string): Admitted => ({ inboxIds: [], text, images: [] });

function end(text: string): TurnResult {
  const facts = { sessionId: "s" as SessionId, model: "m", provider: "p", baseUrl: "", messages: [] };
  return { ...unstartedTurn({ ...facts, error: "", errorClass: "" }), text };
}

/** A coordinator whose turns end when the test says so. */
function stage() {
  const turns: { readonly texts: readonly string[]; readonly done: Deferred<void> }[] = [];
  const steered: string[] = [];
  let running = 0;
  let most = 0;
  const coordinator = new Coordinator({
    async run(messages) {
      running += 1;
      most = Math.max(most, running);
      const turn = { texts: messages.map((one) => one.text), done: new Deferred<void>() };
      turns.push(turn);
      await turn.done.promise;
      running -= 1;
      return end(turn.texts.join("+"));
    },
    interrupt: () => true,
    steer: (text) => steered.push(text) > 0,
    settleSteered: () => Promise.resolve(),
    onQueue: () => undefined,
    unsent: () => ({ ...end("unsent"), interrupted: true }),
  });
  const finish = async (): Promise<void> => {
    turns.at(-1)?.done.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { coordinator, turns, steered, finish, most: () => most };
}

describe("the coordinator", () => {
  it("ends every message that is taken out, so that nobody waits for ever", async () => {
    const { coordinator, finish } = stage();
    coordinator.submit(message("a"), "queue");
    const urgent = coordinator.submit(message("b"), "interrupt");
    expect(coordinator.clear().map((one) => one.text)).toEqual(["b"]);
    expect(urgent.kind === "turn" && (await urgent.ended).text).toBe("unsent");
    await finish();
    await coordinator.settled();
  });

  it("does what was put between two turns before the next one begins", async () => {
    const { coordinator, turns, finish } = stage();
    coordinator.submit(message("a"), "queue");
    coordinator.submit(message("b"), "queue");
    const seen: number[] = [];
    const between = coordinator.between(() => Promise.resolve(void seen.push(turns.length)));
    await finish();
    await between;
    expect(seen).toEqual([1]);
    await finish();
    await coordinator.between(() => Promise.resolve(void seen.push(turns.length)));
    expect(seen).toEqual([1, 2]);
  });

  it("holds what an earlier run left until somebody sends something", async () => {
    const { coordinator, turns, finish } = stage();
    coordinator.hold([message("old")]);
    expect(coordinator.isBusy).toBe(false);
    expect(coordinator.queued).toEqual(["old"]);
    coordinator.submit(message("new"), "interrupt");
    await finish();
    await finish();
    expect(turns.map((turn) => turn.texts)).toEqual([["old"], ["new"]]);
    coordinator.hold([message("more")]);
    expect(coordinator.releaseHeld()).toBe(1);
    await finish();
    await coordinator.settled();
    expect(turns).toHaveLength(3);
  });

  it("runs every message once, one turn at a time, whatever arrives when [20:R10.28] [20:R10.29]", async () => {
    const step = fc.oneof(
      fc.constantFrom<BusyMode>("interrupt", "queue").map((mode) => ({ kind: "submit" as const, mode })),
      fc.constant({ kind: "finish" as const }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const { coordinator, turns, finish, most } = stage();
        let count = 0;
        for (const one of steps) {
          if (one.kind === "finish") await finish();
          else {
            count += 1;
            coordinator.submit(message(String(count)), one.mode);
          }
        }
        while (coordinator.isBusy) await finish();
        const ran = turns.flatMap((turn) => turn.texts);
        expect([...ran].sort()).toEqual(Array.from({ length: count }, (_, index) => String(index + 1)).sort());
        expect(most()).toBeLessThanOrEqual(1);
        expect(coordinator.queued).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});
