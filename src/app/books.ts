import type { ChildCall } from "#agent";
import type { SessionId } from "#conversation";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { AuxiliaryRecord, FallbackEvent } from "#model";
import { usageChange } from "#session";
import type { Store } from "#store";

/**
 * What happens beside the turns and is counted later: side calls by task, and changes of model. Nobody waits for an
 * entry, and one that cannot be written fails nothing; disposal waits for those under way.
 */
export class Books implements AsyncDisposable {
  readonly #store: Pick<Store, "usage" | "turns">;
  readonly #logger: Logger;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: Pick<Store, "usage" | "turns">, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  sideCall(sessionId: SessionId, { task, provider, model, usage, cost }: AuxiliaryRecord): void {
    const price = cost.usd === undefined ? {} : { usd: cost.usd };
    const call = { sessionId, task, provider, model, usage, costStatus: cost.status, ...price };
    this.#later("a side call was not recorded", () => this.#store.usage.noteSideCall(call));
  }

  /** A call of an agent that works for another: in the books of its own session. */
  childCall(sessionId: SessionId, { target, usage, cost }: ChildCall): void {
    const change = usageChange(target, usage, cost);
    this.#later("usage of a child was not recorded", () => this.#store.usage.change(sessionId, change));
  }

  fallback(sessionId: SessionId, details: FallbackEvent): void {
    this.#later("a fallback was not recorded", () =>
      this.#store.turns.recordEvent({ sessionId, kind: "fallback", details }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing;
  }

  #later(what: string, write: () => Promise<void>): void {
    this.#writing = this.#writing.then(async () => {
      try {
        await write();
      } catch (error) {
        this.#logger.error(what, { error: describe(error) });
      }
    });
  }
}
