import { type PendingWrite, pendingText } from "#agent";
import type { Invocation } from "../../command.ts";
import { argument } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { oneLine } from "../../output/table.ts";
import { localTime } from "../../output/times.ts";
import { confirmPending, openNotes, rejectPending } from "../../support/memory.ts";

export async function memoryPending(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { writes } = await openNotes(invocation);
  const pending = await writes.listPending();
  out.document({
    pending: pending.map((one) => ({
      id: one.id,
      at_ms: one.atMs,
      ...locationOf(one),
      text: pendingText(one),
      source: one.source,
      session_id: one.sessionId,
    })),
  });
  if (pending.length === 0) out.line("Nothing waits.");
  for (const one of pending) {
    const { target, action } = locationOf(one);
    const what = `${action} in ${target}, after reading ${oneLine(one.source)}`;
    out.line(`${out.style.accent(one.id)}  ${localTime(one.atMs)}  ${what}`);
    out.line(`  ${oneLine(pendingText(one))}`);
  }
  if (pending.length > 0)
    out.line("Remember one with: hermes memory confirm <id>, drop it with: hermes memory reject <id>");
  return 0;
}

export async function memoryConfirm(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { writes } = await openNotes(invocation);
  const id = argument(invocation, 0);
  const decision = await confirmPending(writes, { id, platform: "cli" }, invocation.io.signal);
  out.document({ id, outcome: decision.kind });
  out.line(decision.kind === "write" ? "Remembered." : "It is already remembered.");
  return 0;
}

export async function memoryReject(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { writes } = await openNotes(invocation);
  const id = argument(invocation, 0);
  await rejectPending(writes, id, invocation.io.signal);
  out.document({ id, outcome: "rejected" });
  out.line("Dropped.");
  return 0;
}

function locationOf(pending: PendingWrite): { readonly target: string; readonly action: string } {
  if (pending.kind === "call") return { target: pending.provider, action: pending.tool };
  return { target: pending.target, action: pending.change.action };
}
