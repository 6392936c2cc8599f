import type { ApprovalAnswer, ApprovalChoice } from "#conversation";
import type { Clock } from "#foundation/time/clock";
import type { Approver, Prompter } from "#tools";
import type { SessionEvent } from "../api.ts";
import type { SessionSettings } from "../settings.ts";
import { Approvals } from "./approvals.ts";
import { Prompts } from "./prompts.ts";
import { createPrompter } from "./questions.ts";
import { answerTimes } from "./surface.ts";

export interface AskingDeps {
  readonly clock: Clock;
  readonly settings: SessionSettings;
  readonly source: string;
  canAsk(): boolean;
  emit(event: SessionEvent): void;
}

/** Everything a person may be asked in a session, one thing at a time, and where the answers arrive. */
export class Asking {
  readonly prompter: Prompter;
  readonly #prompts: Prompts;
  readonly #approvals: Approvals;

  constructor(deps: AskingDeps) {
    const { clock, settings, source, emit } = deps;
    const times = () => answerTimes(source, settings.answerTimes);
    this.#prompts = new Prompts(clock);
    const common = { prompts: this.#prompts, canAsk: () => deps.canAsk(), emit };
    this.#approvals = new Approvals({ ...common, timeoutMs: () => times().approvalMs });
    this.prompter = createPrompter({ ...common, settings, questionMs: () => times().questionMs });
  }

  /** Something waits for an answer. */
  get isOpen(): boolean {
    return this.#prompts.openId !== undefined;
  }

  get approver(): Approver {
    return this.#approvals;
  }

  approve(id: string, answer: ApprovalAnswer): boolean {
    return this.#approvals.approve(id, answer);
  }

  /** Answers whatever approval is open; false when none is. */
  approveOpen(choice: ApprovalChoice): boolean {
    const { open } = this.#approvals;
    return open !== undefined && this.#approvals.approve(open.id, choice);
  }

  /** Questions and secrets only: no text may open an approval. */
  answer(id: string, text: string | undefined): boolean {
    return this.#approvals.open?.id !== id && this.#prompts.answer(id, text);
  }
}
