import { type ExitReason, flagsOf } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import { quietly } from "#foundation/files/quietly";
import { timeLimit } from "#foundation/lifecycle/abort";
import type { Outlet } from "../delivery/outlet.ts";
import type { InboundMessage } from "../platform/inbound.ts";

export interface ReactionsDeps {
  readonly outlet: Outlet;
  /** The message a turn answers; it is the one that is marked. */
  readonly message: InboundMessage;
  readonly logger: Logger;
}

const working = "👀";
const doneMark = "👍";
const failedMark = "👎";
const longestMs = 10_000;

/** Marks the message that is worked on, and says by a mark how that ended. A mark that fails is no loss. */
export class Reactions {
  readonly #deps: ReactionsDeps;
  #marked: Promise<unknown>;

  constructor(deps: ReactionsDeps) {
    this.#deps = deps;
    this.#marked = this.#react(working, true);
  }

  /** A turn that was stopped leaves no mark. */
  async end(exitReason: ExitReason): Promise<void> {
    const { failed, interrupted } = flagsOf(exitReason);
    this.#marked = this.#marked
      .then(() => this.#react(working, false))
      .then(() => (interrupted ? undefined : this.#react(failed ? failedMark : doneMark, true)));
    await this.#marked;
  }

  async #react(emoji: string, isAdded: boolean): Promise<void> {
    const { outlet, message, logger } = this.#deps;
    const { messageId, source } = message;
    if (messageId === undefined) return;
    const { platform, account, chatId, threadId } = source;
    const act = () =>
      outlet.connection.react?.(
        { platform, account, chatId, threadId },
        { messageId, emoji, isAdded },
        timeLimit(longestMs),
      );
    await quietly("marking a message", act, { logger, level: "debug" });
  }
}
