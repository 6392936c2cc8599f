import type { AgentEvents, SessionId } from "#conversation";
import { type LeaseDeps, leaseHolder, openSessionLease, takeLease } from "#store";

/** Nobody waits for its end: a holder that died on this machine is recognised at once. */
const ttlMs = 10 * 60_000;

export interface PresenceDeps extends Omit<LeaseDeps, "ttlMs"> {
  readonly events: AgentEvents;
}

/**
 * That a conversation is open here, said to whoever opens it elsewhere. Two windows of one conversation may both write;
 * neither sees what the other does. The later one says so when it opens, the earlier one with its next turn.
 */
export interface Presence extends AsyncDisposable {
  /** Says once that it was opened elsewhere since. */
  check(): Promise<void>;
}

export async function announcePresence(deps: PresenceDeps, headId: SessionId): Promise<Presence> {
  const [first, later] = [openSessionLease(headId), `open-too:${headId}`];
  // The time stands in the name, because a lease only knows when it ends.
  const lease = { ...deps, ttlMs, owner: `${deps.owner}/${deps.clock.now()}` };
  const nothing = (): void => undefined;
  let held = await takeLease(lease, first, nothing);
  let isTold = held.kind === "busy";
  if (held.kind === "busy") {
    tell(deps, held.owner);
    held = await takeLease(lease, later, nothing);
  }
  return {
    async check() {
      if (isTold) return;
      const other = await leaseHolder(lease, later);
      if (other === undefined) return;
      isTold = true;
      tell(deps, other);
    },
    async [Symbol.asyncDispose]() {
      if (held.kind === "held") await held[Symbol.asyncDispose]();
    },
  };
}

function tell({ events, owner: own }: PresenceDeps, owner: string): void {
  const [host, pid, , sinceMs] = owner.split("/");
  // A window that opens its own conversation again holds it twice for a moment.
  if (own.startsWith(`${host}/${pid}/`)) return;
  const since = new Date(Number(sinceMs));
  const time = Number.isNaN(since.getTime()) ? "" : `, since ${since.toTimeString().slice(0, 5)}`;
  events.emit({
    type: "notice",
    level: "warn",
    text: `This conversation is also open in another window (process ${pid} on ${host?.split("~")[0]}${time}). Neither window shows what is said in the other; /resume reloads it.`,
  });
}
