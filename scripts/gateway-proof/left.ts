import { silentLogger } from "#foundation/files/logger";
import { systemClock } from "#foundation/time/clock";
import { openStore } from "#store";

/** What the gateway has still to do, by its own store. */
export interface Left {
  /** Messages that were taken in and are not answered. */
  readonly inbox: number;
  /** Answers that are not sent. */
  readonly outbox: number;
  /** Some of those, oldest first, with what is known of them; and answers that were given up. */
  readonly why: readonly string[];
  /** The words of messages that were given up because the process died in each of three attempts; people are told. */
  readonly givenUp: readonly string[];
}

export interface Ledger extends AsyncDisposable {
  left(): Promise<Left>;
}

export async function openLedger(location: { readonly path: string } | { readonly url: string }): Promise<Ledger> {
  const store = await openStore(location, { clock: systemClock, log: silentLogger });
  return {
    async left() {
      const [inbox, outbox] = [await store.inbox.counts(), await store.outbox.counts()];
      const statuses = ["pending", "sending", "failed", "dead", "unknown"] as const;
      const rows = await Promise.all(statuses.map((status) => store.outbox.list({ status, limit: 1_000 })));
      const dead = inbox.dead === 0 ? [] : await store.inbox.list({ status: "dead", limit: inbox.dead });
      const nowMs = Date.now();
      return {
        inbox: inbox.pending + inbox.claimed,
        outbox: outbox.pending + outbox.sending,
        why: rows
          .flatMap((of) => of.toReversed().slice(0, 5))
          .map((row) => {
            const inSeconds = Math.round((row.nextAttemptAtMs - nowMs) / 1000);
            const about = `${row.attempts} attempts, ${row.errorClass ?? "no failure"}, next in ${inSeconds} s`;
            return `${row.platform}:${row.chatId} ${row.status}: ${about}`;
          }),
        givenUp: dead.map(({ event }) => String((event as { readonly text?: unknown }).text ?? "")),
      };
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
