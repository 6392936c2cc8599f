import type { Message, SessionId } from "#conversation";
import { UserError } from "#foundation/errors";
import { type AppendContext, appendMessages } from "./append.ts";
import { rootOf } from "./lineage.ts";
import type { ContinuationOptions } from "./records/session.ts";
import { maybeText, orNull } from "./row.ts";
import { nextTitle } from "./titles.ts";

/**
 * The next part of a session that compression has cut: the old part ends, the new one takes over its
 * settings, its title with the next number, and the compressed messages. Runs inside one transaction.
 */
export async function continueCompressed(
  context: AppendContext,
  parent: SessionId,
  options: ContinuationOptions,
): Promise<void> {
  const { db, clock } = context;
  const nowS = clock.now() / 1000;
  const old = await db.get(`SELECT * FROM sessions WHERE id = ?${db.dialect.forUpdate}`, [parent]);
  if (old === undefined)
    throw new UserError(`There is no session ${parent} to continue.`, { code: "session_not_found" });
  await db.run("UPDATE sessions SET ended_at = ?, end_reason = 'compression' WHERE id = ?", [nowS, parent]);
  const title = maybeText(old, "title");
  await db.run(
    `INSERT INTO sessions (id, source, user_id, model, model_config, system_prompt, parent_session_id, started_at,
       billing_provider, billing_base_url, billing_mode, title, root_session_id, prompt_fingerprint, lineage)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'compression')`,
    [
      options.id,
      maybeText(old, "source") ?? "unknown",
      orNull(maybeText(old, "user_id")),
      orNull(maybeText(old, "model")),
      orNull(maybeText(old, "model_config")),
      orNull(options.systemPrompt ?? maybeText(old, "system_prompt")),
      parent,
      nowS,
      orNull(maybeText(old, "billing_provider")),
      orNull(maybeText(old, "billing_base_url")),
      orNull(maybeText(old, "billing_mode")),
      title === undefined ? null : await nextTitle(db, title),
      await rootOf(db, parent),
      orNull(options.promptFingerprint ?? maybeText(old, "prompt_fingerprint")),
    ],
  );
  await appendMessages(context, options.id, { messages: inOrder(options.messages) });
}

/** A summary is newer than what follows it; it takes the time of that, so that everything keeps its place. */
function inOrder(messages: readonly Message[]): readonly Message[] {
  let next = Number.POSITIVE_INFINITY;
  return messages
    .toReversed()
    .map((message): Message => {
      const input = message.timestamp ?? next;
      next = Math.min(input, next);
      return next === message.timestamp || !Number.isFinite(next) ? message : { ...message, timestamp: next };
    })
    .toReversed();
}
