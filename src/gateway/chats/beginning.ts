import { linkSignals } from "#foundation/lifecycle/abort";
import type { Store } from "#store";
import type { Users } from "../access/users.ts";
import { readCommandLine } from "../routing/command-line.ts";
import { commandMeant } from "./gateway-commands.ts";
import { readInbound } from "./read-inbound.ts";

export interface BeginningDeps {
  readonly store: Pick<Store, "inbox">;
  readonly sessionKey: string;
  readonly users: Pick<Users, "access">;
}

/**
 * The time between taking a message and its turn: files are fetched, voices are written down. Whoever writes /stop
 * meanwhile is not kept waiting for that.
 */
export class Beginning {
  readonly #deps: BeginningDeps;
  #calledOff: AbortController | undefined;

  constructor(deps: BeginningDeps) {
    this.#deps = deps;
  }

  /** Undefined when it was called off. */
  async during<T>(signal: AbortSignal, prepare: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const calledOff = new AbortController();
    this.#calledOff = calledOff;
    try {
      const prepared = await prepare(linkSignals(signal, calledOff.signal));
      await this.look();
      return calledOff.signal.aborted ? undefined : prepared;
    } finally {
      this.#calledOff = undefined;
    }
  }

  /** Something came in. */
  async look(): Promise<void> {
    const calledOff = this.#calledOff;
    if (calledOff === undefined) return;
    const { store, sessionKey, users } = this.#deps;
    for (const { event } of await store.inbox.pending(sessionKey, { kinds: ["command"] })) {
      const message = readInbound(event);
      const meant = commandMeant(readCommandLine(message?.text ?? "")?.name ?? "");
      if (message === undefined || meant.kind !== "one" || meant.name !== "stop") continue;
      if ((await users.access(message.source)).kind === "allowed") calledOff.abort();
    }
  }
}
