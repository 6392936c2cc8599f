import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { Submission } from "./api.ts";
import type { Coordinator } from "./coordinator.ts";
import { type Admitted, idsOf, type SessionInbox } from "./inbox.ts";
import type { BusyMode } from "./settings.ts";

export interface IntakeDeps {
  readonly logger: Logger;
  readonly coordinator: Pick<Coordinator, "submit">;
  inbox(): SessionInbox;
}

/** Takes words in: on disk before anything is done with them, then to the coordinator. A failing store stops neither. */
export class Intake {
  readonly #deps: IntakeDeps;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  async place(
    words: Omit<Admitted, "inboxId">,
    how: { readonly mode: BusyMode; readonly key?: string | undefined },
  ): Promise<Submission> {
    let message: Admitted = { ...words, inboxId: undefined };
    try {
      const admission = await this.#deps.inbox().admit(words, how.key);
      if (admission.kind === "duplicate") return { kind: "refused", message: "This message was taken in already." };
      message = admission.message;
    } catch (error) {
      this.#deps.logger.error("a message could not be kept before it is sent", { error: describe(error) });
    }
    const placement = this.#deps.coordinator.submit(message, how.mode);
    return placement.kind === "queued" ? { kind: "queued", position: placement.position } : placement;
  }

  async settle(messages: readonly Admitted[], status: "done" | "dropped"): Promise<void> {
    if (idsOf(messages).length === 0) return;
    try {
      await this.#deps.inbox().finish(messages, status);
    } catch (error) {
      this.#deps.logger.error("the inbox could not be settled", { error: describe(error) });
    }
  }
}
