import type { AssistantMessage, ExitReason } from "#conversation";
import type { ModelFailure } from "#model";

/** How a turn ended; the shape is the same for every ending. */
export interface TurnOutcome {
  readonly exitReason: ExitReason;
  /** Visible words for the user; undefined when there are none. */
  readonly text?: string;
  /** One line saying what went wrong. */
  readonly error?: string;
  /** The failure's kind, as the classifier names it. */
  readonly errorClass?: string;
  /** The same as a word that programs rely on. */
  readonly errorCode?: string;
  /** Goes into the transcript as the turn's last message, where nothing has been recorded for it yet. */
  readonly reply?: AssistantMessage;
  /** What no remedy could treat. */
  readonly failure?: ModelFailure;
  /** Overflow that compression could not cure. */
  readonly isCompressionExhausted?: boolean;
}
