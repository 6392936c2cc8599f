import { type PendingWrite, pendingText } from "#agent";
import { UserError } from "#foundation/errors";
import type { Invocation } from "../../command.ts";
import { argument } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { oneLine } from "../../output/table.ts";
import { localTime } from "../../output/times.ts";
import { openNotes } from "../../support/memory.ts";

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
  const decision = await writes.confirm(
    id,
    {
      writeOrigin: "user_confirmation",
      executionContext: "primary",
      sessionId: "",
      parentSessionId: "",
      platform: "cli",
      toolName: "memory",
    },
    invocation.io.signal,
  );
  if (decision === undefined) throw unknown(id);
  if (decision.kind === "no-provider")
    throw new UserError(`It belongs to the memory provider ${decision.provider}, which only runs in a session.`, {
      code: "memory_provider_not_in_use",
      hint: `Use it (hermes memory setup ${decision.provider}), open the chat and confirm it there: /memory confirm ${id}`,
    });
  if (decision.kind !== "write" && decision.kind !== "already-there")
    throw new UserError(`It does not fit any more (${decision.kind}); it still waits.`, {
      code: "memory_conflict",
      hint: `Make room in the notes, or drop it: hermes memory reject ${id}`,
    });
  out.document({ id, outcome: decision.kind });
  out.line(decision.kind === "write" ? "Remembered." : "It was remembered already.");
  return 0;
}

export async function memoryReject(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { writes } = await openNotes(invocation);
  const id = argument(invocation, 0);
  if (!(await writes.reject(id, invocation.io.signal))) throw unknown(id);
  out.document({ id, outcome: "rejected" });
  out.line("Dropped.");
  return 0;
}

function unknown(id: string): UserError {
  return new UserError(`Nothing waits under "${id}".`, {
    code: "pending_not_found",
    hint: "See them with: hermes memory pending",
  });
}

function locationOf(pending: PendingWrite): { readonly target: string; readonly action: string } {
  if (pending.kind === "call") return { target: pending.provider, action: pending.tool };
  return { target: pending.target, action: pending.change.action };
}
