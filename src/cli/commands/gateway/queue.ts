import { UserError } from "#foundation/errors";
import type { InboxEntry, OutboxEntry, Store } from "#store";
import { exitCodes, type Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { openExistingStore } from "../../support/store.ts";

const most = 200;

/** `hermes gateway queue list`: what could not be answered or sent. */
export async function queueList(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  return await withStore(invocation, async (store) => {
    const [inbox, outbox] = [await store.inbox.counts(), await store.outbox.counts()];
    const dead = await store.inbox.list({ status: "dead", limit: most });
    const unsent = (
      await Promise.all(
        (["failed", "dead", "unknown"] as const).map((status) => store.outbox.list({ status, limit: most })),
      )
    ).flat();
    out.document({ inbox, outbox, dead: dead.map(received), unsent: unsent.map(owed) });
    out.line(`Received: ${inbox.pending} waiting, ${inbox.claimed} being answered, ${inbox.dead} given up.`);
    out.line(`To send: ${outbox.pending} waiting, ${outbox.sending} on their way, ${unsent.length} not delivered.`);
    for (const entry of dead)
      out.line(`  in:${entry.id}   ${entry.platform}  ${entry.sessionKey}  ${entry.attempts} attempts`);
    for (const entry of unsent)
      out.line(`  out:${entry.id}  ${entry.platform}:${entry.chatId}  ${entry.status}  ${entry.errorClass ?? ""}`);
    return exitCodes.ok;
  });
}

export async function queueShow(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  return await withStore(invocation, async (store) => {
    const { side, id } = reference(invocation);
    const entry = side === "in" ? await store.inbox.get(id) : await store.outbox.get(id);
    if (entry === undefined) throw unknown(invocation);
    out.document({ entry });
    out.line(JSON.stringify(entry, undefined, 2));
    return exitCodes.ok;
  });
}

export async function queueRetry(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  return await withStore(invocation, async (store) => {
    const { side, id } = reference(invocation);
    const isWaiting = side === "in" ? await store.inbox.redrive(id) : await store.outbox.redrive(id);
    if (!isWaiting) throw unknown(invocation);
    out.document({ retried: `${side}:${id}` });
    out.line("It is queued again; a running gateway picks it up within seconds.");
    return exitCodes.ok;
  });
}

export async function queueDrop(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  return await withStore(invocation, async (store) => {
    const { side, id } = reference(invocation);
    if (side === "in") await store.inbox.finish([id], "dropped");
    else await store.outbox.fail(id, { status: "failed", errorClass: "dropped" });
    out.document({ dropped: `${side}:${id}` });
    out.line("It is dropped.");
    return exitCodes.ok;
  });
}

async function withStore(invocation: Invocation, work: (store: Store) => Promise<number>): Promise<number> {
  await using store = await openExistingStore(invocation);
  if (store === undefined) {
    const out = new Output(invocation);
    out.document({ inbox: {}, outbox: {}, dead: [], unsent: [] });
    out.line("Nothing has been received or sent yet.");
    return exitCodes.ok;
  }
  return await work(store);
}

function reference({ args }: Invocation): { readonly side: "in" | "out"; readonly id: number } {
  const [, side, id] = /^(in|out):(\d+)$/u.exec(args[0] ?? "") ?? [];
  if (side !== "in" && side !== "out")
    throw new UserError(`${args[0] ?? ""} is not an entry.`, {
      hint: "Entries are named in:12 or out:12. See: hermes gateway queue list",
    });
  return { side, id: Number(id) };
}

function unknown({ args }: Invocation): UserError {
  return new UserError(`There is no entry ${args[0] ?? ""} that this applies to.`, {
    hint: "See: hermes gateway queue list",
  });
}

function received({ id, platform, sessionKey, attempts, receivedAtMs }: InboxEntry) {
  return { id: `in:${id}`, platform, session_key: sessionKey, attempts, received_at_ms: receivedAtMs };
}

function owed({ id, platform, chatId, status, errorClass, createdAtMs }: OutboxEntry) {
  return {
    id: `out:${id}`,
    platform,
    chat_id: chatId,
    status,
    error_class: errorClass ?? null,
    created_at_ms: createdAtMs,
  };
}
