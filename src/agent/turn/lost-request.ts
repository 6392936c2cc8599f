import type { Logger } from "#foundation/files/logger";
import { quietly } from "#foundation/files/quietly";
import type { ModelRequest } from "#model";
import type { AgentRecord } from "../agent-deps.ts";
import type { TurnOutcome } from "./outcome.ts";
import type { ContextMeter } from "./request/meter.ts";
import type { Turn } from "./turn.ts";

/** From here on a refused request is more likely to be refused for its size than for its last message. */
const largeTokens = 50_000;
const largeMessages = 80;

export interface LostRequestDeps {
  readonly request: ModelRequest | undefined;
  readonly meter: ContextMeter;
  readonly logger: Logger;
  readonly record: Pick<AgentRecord, "onLost">;
}

/**
 * What is left to do for a turn whose request nothing could save: the request is handed out for a dump, and
 * the user's message of a large context that was refused as malformed is taken out again, since keeping it
 * would let every later turn fail the same way.
 */
export async function tidyAfterLoss(turn: Turn, outcome: TurnOutcome, deps: LostRequestDeps): Promise<void> {
  const { failure } = outcome;
  const { request, logger } = deps;
  if (failure === undefined || failure.kind === "budget_exceeded" || request === undefined) return;
  await quietly("dumping a lost request", () => deps.record.onLost?.(request, failure), { logger });
  const isLarge = request.messages.length > largeMessages || deps.meter.current(request) > largeTokens;
  if (failure.status !== 400 || !isLarge) return;
  const isForgotten = await turn.forgetUserMessage();
  if (isForgotten) logger.warn("the message was not kept: the request was refused while the context was large", {});
}
