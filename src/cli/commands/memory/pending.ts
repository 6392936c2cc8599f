import type { PendingWrite } from "#agent";
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
    pending: pending.map(({ id, atMs, target, change, source, sessionId }) => ({
      id,
      at_ms: atMs,
      target,
      action: change.action,
      text: textOf(change),
      source,
      session_id: sessionId,
    })),
  });
  if (pending.length === 0) out.line("Nothing waits.");
  for (const { id, atMs, target, change, source } of pending) {
    out.line(
      `${out.style.accent(id)}  ${localTime(atMs)}  ${change.action} in ${target}, after reading ${oneLine(source)}`,
    );
    out.line(`  ${oneLine(textOf(change))}`);
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

function textOf(change: PendingWrite["change"]): string {
  return change.action === "remove" ? change.oldText : change.content;
}
