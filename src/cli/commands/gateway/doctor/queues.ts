import { describe } from "#foundation/errors";
import { plural } from "#foundation/text/figures";
import { isLeft, type Store } from "#store";
import { openExistingStore } from "../../../support/store.ts";
import type { Check } from "../../doctor/check.ts";
import type { GatewayPatient } from "./processes.ts";

const section = "Store";
const lookHint = "See: hermes gateway queue";
/** Longer than anything waits while all is well. */
const stuckMs = 300_000;
const most = 1_000;

/** Whether the store can be reached, what waits in it, and what does not move. */
export async function examineQueues({ invocation, processes }: GatewayPatient): Promise<readonly Check[]> {
  try {
    await using store = await openExistingStore(invocation);
    if (store === undefined) return [{ section, name: "store", state: "ok", detail: "nothing is stored yet" }];
    const isRunning = processes.pids.length > 0;
    return [
      { section, name: "store", state: "ok", detail: store.kind },
      await inboxCheck(store, isRunning),
      await outboxCheck(store, isRunning),
      ...(await turnChecks(store, isRunning)),
    ];
  } catch (error) {
    const hint = "Check store.url, or run: hermes doctor";
    return [{ section, name: "store", state: "failed", detail: describe(error), hint }];
  }
}

async function inboxCheck(store: Store, isRunning: boolean): Promise<Check> {
  const { pending, claimed, dead } = await store.inbox.counts();
  const [key] = await store.inbox.waitingSessions(1);
  const [oldest] = key === undefined ? [] : await store.inbox.pending(key, { limit: 1 });
  const waitsMs = oldest === undefined ? 0 : Date.now() - oldest.availableAtMs;
  const isStuck = isRunning && waitsMs > stuckMs;
  const late = waitsMs > stuckMs ? `; the oldest for ${minutes(waitsMs)}` : "";
  return {
    section,
    name: "received",
    state: isStuck || dead > 0 ? "failed" : "ok",
    detail: `${pending} waiting${late}, ${claimed} being answered, ${dead} given up`,
    hint: lookHint,
  };
}

async function outboxCheck(store: Store, isRunning: boolean): Promise<Check> {
  const { pending, sending, unknown, failed, dead } = await store.outbox.counts();
  const waiting = await store.outbox.list({ status: "pending", limit: most });
  const waitsMs = Math.max(0, ...waiting.map(({ createdAtMs }) => Date.now() - createdAtMs));
  const isStuck = isRunning && waitsMs > stuckMs;
  const late = waitsMs > stuckMs ? `; the oldest for ${minutes(waitsMs)}` : "";
  return {
    section,
    name: "to send",
    state: isStuck || dead > 0 ? "failed" : unknown + failed > 0 ? "warning" : "ok",
    detail: `${pending} waiting${late}, ${sending} on their way, ${failed + dead} given up, ${unknown} in doubt`,
    hint: lookHint,
  };
}

/** Turns that nobody works on although somebody could. */
async function turnChecks(store: Store, isRunning: boolean): Promise<readonly Check[]> {
  const left = (await store.gatewayTurns.inProgress()).filter(({ lease }) => isLeft(lease, Date.now()));
  if (left.length === 0) return [];
  const detail = `${plural(left.length, "turn")} cut off`;
  const hint = "The gateway continues them when it runs.";
  return [{ section, name: "turns", state: "warning", detail, ...(isRunning ? {} : { hint }) }];
}

function minutes(ms: number): string {
  return plural(Math.round(ms / 60_000), "minute");
}
