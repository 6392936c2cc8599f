import type { SessionId } from "#conversation";
import { UserError } from "#foundation/errors";
import { recount } from "../counters.ts";
import { rootOf } from "../lineage.ts";
import type { BranchOptions } from "../records/session.ts";
import { maybeText } from "../row.ts";
import { messageColumns } from "../rows/message.ts";
import { setTitle } from "../titles.ts";
import type { WorkContext } from "./context.ts";

/** Copies a session and its messages under a new id; the parent stays as it is. */
export async function branchSession(
  context: WorkContext,
  input: BranchOptions & { readonly parent: SessionId; readonly nowMs: number },
): Promise<void> {
  await context.db.transaction(async (tx) => {
    const parent = await tx.get("SELECT source FROM sessions WHERE id = ?", [input.parent]);
    if (parent === undefined)
      throw new UserError(`There is no session ${input.parent} to branch from.`, { code: "session_not_found" });
    const copied = [
      "user_id",
      "model",
      "model_config",
      "system_prompt",
      "billing_provider",
      "billing_base_url",
      "billing_mode",
      "prompt_fingerprint",
    ].join(", ");
    await tx.run(
      `INSERT INTO sessions (id, source, parent_session_id, started_at, root_session_id, lineage, ${copied})
       SELECT ?, ?, id, ?, ?, 'branch', ${copied} FROM sessions WHERE id = ?`,
      [
        input.id,
        input.source ?? maybeText(parent, "source") ?? "unknown",
        input.nowMs / 1000,
        await rootOf(tx, input.parent),
        input.parent,
      ],
    );
    await copyMessages({ ...context, db: tx }, input);
    if (input.title !== undefined) await setTitle(tx, input.id, input.title);
  });
}

async function copyMessages(
  context: WorkContext,
  input: BranchOptions & { readonly parent: SessionId },
): Promise<void> {
  const { db } = context;
  const columns = messageColumns.filter((column) => column !== "session_id" && column !== "uid");
  const all = [...columns, ...(db.dialect.name === "postgres" ? ["search"] : [])].join(", ");
  await db.run(
    `INSERT INTO messages (session_id, uid, ${all})
     SELECT ?, coalesce(uid, 'row_' || id), ${all} FROM messages WHERE session_id = ? ORDER BY timestamp, id`,
    [input.id, input.parent],
  );
  await recount(db, input.id);
}
