import type { Cost, TurnId, TurnResult, Usage } from "#conversation";
import { defined } from "#foundation/defined";
import { quietly } from "#foundation/files/quietly";
import { newId } from "#foundation/text/ids";
import type { SessionEvent } from "../../api.ts";
import type { SessionDeps } from "../../session-deps.ts";
import type { Conversation } from "../conversation.ts";
import { usageChange } from "./usage-change.ts";

/**
 * Writes down what a turn uses while it runs: every model call is in the ledger as soon as it is over, so a kill
 * in the middle of a turn loses no figure. Reads events only; never fails a turn.
 */
export class UsageLedger {
  readonly #deps: Pick<SessionDeps, "store" | "logger" | "clock">;
  readonly #conversation: Pick<Conversation, "agent" | "transcript">;
  readonly #startedAtMs: number;
  #turnId: TurnId = newId("trn") as TurnId;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(
    deps: Pick<SessionDeps, "store" | "logger" | "clock">,
    conversation: Pick<Conversation, "agent" | "transcript">,
  ) {
    this.#deps = deps;
    this.#conversation = conversation;
    this.#startedAtMs = deps.clock.now();
  }

  note(event: SessionEvent): void {
    if (event.type === "turn-start") this.#turnId = event.turnId;
    else if (event.type === "usage") this.#count(event.usage, event.cost);
  }

  /** The row of the turn; figures written before it are waited for. */
  async finish(result: TurnResult): Promise<void> {
    await this.#writing;
    const { turns, sessions } = this.#deps.store;
    const { sessionId, exitReason, errorClass, error: errorMessage } = result;
    await this.#write("recording a turn", async () => {
      await turns.record({
        id: this.#turnId,
        sessionId,
        startedAtMs: this.#startedAtMs,
        endedAtMs: this.#deps.clock.now(),
        exitReason,
        isCompleted: result.completed,
        isPartial: result.partial,
        isFailed: result.failed,
        isInterrupted: result.interrupted,
        apiCalls: result.apiCalls,
        toolCalls: result.toolCalls.length,
        usage: result.usage,
        model: result.model,
        provider: result.provider,
        ...defined({ errorClass, errorMessage }),
      });
      await sessions.update(sessionId, { lastExitReason: exitReason, lastPromptTokens: result.contextTokens });
    });
  }

  #count(usage: Usage, cost: Cost): void {
    const { agent, transcript } = this.#conversation;
    const id = transcript.sessionId;
    const change = usageChange(agent.conversation.target, usage, cost);
    const write = () => this.#deps.store.usage.change(id, change);
    this.#writing = this.#writing.then(() => this.#write("recording usage", write));
  }

  async #write(what: string, write: () => Promise<void>): Promise<void> {
    const { logger } = this.#deps;
    const fields = { session: this.#conversation.transcript.sessionId };
    await quietly(what, write, { logger, level: "error", fields });
  }
}
