import type { ApprovalAnswer, ApprovalChoice } from "#conversation";
import type { ApprovalRequest, Approver } from "#tools";
import type { SessionEvent } from "../api.ts";
import type { Prompts } from "./prompts.ts";

export interface ApprovalsDeps {
  readonly prompts: Prompts;
  /** How long a person has, from when the question stands before them: the one deadline an approval has. */
  timeoutMs(): number;
  /** True while somebody looks at this session and can answer. */
  canAsk(): boolean;
  emit(event: SessionEvent): void;
}

/** From the widest permission to none. */
const narrowing: readonly ApprovalChoice[] = ["always", "session", "folder", "once", "deny"];

/** Asks the surface that owns the session. No surface, no answer in time, or the end of the turn: denied. */
export class Approvals implements Approver {
  readonly #deps: ApprovalsDeps;
  #open: ApprovalRequest | undefined;

  constructor(deps: ApprovalsDeps) {
    this.#deps = deps;
  }

  /** What waits for an answer now. */
  get open(): ApprovalRequest | undefined {
    return this.#open;
  }

  async ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    const { prompts, emit } = this.#deps;
    if (!this.#deps.canAsk()) {
      emit({ type: "notice", level: "warn", text: unaskedText(request) });
      return "deny";
    }
    const timeoutMs = this.#deps.timeoutMs();
    const show = (): void => {
      this.#open = request;
      emit({
        type: "approval-request",
        id: request.id,
        callId: request.callId,
        tool: request.tool,
        summary: request.summary,
        reasons: request.findings.map((finding) => finding.description),
        choices: request.choices,
        scopes: request.scopes,
        lines: request.lines,
        isDestructive: request.isDestructive,
      });
    };
    const answered = await prompts.ask<ApprovalAnswer>({ id: request.id, timeoutMs, show }, signal);
    const wasShown = this.#open === request;
    this.#open = undefined;
    const answer = answered.kind === "answered" ? answered.value : "deny";
    const choice = typeof answer === "string" ? offered(request, answer) : answer.choice;
    if (wasShown) emit({ type: "approval-response", id: request.id, choice });
    if (answered.kind === "timed-out") {
      const seconds = Math.round(timeoutMs / 1000);
      emit({ type: "notice", level: "warn", text: `No answer within ${seconds} s: denied.` });
      return { choice: "deny", reason: `Nobody answered within ${seconds} s.` };
    }
    return typeof answer === "string" ? choice : answer;
  }

  canAsk(): boolean {
    return this.#deps.canAsk();
  }

  approve(id: string, answer: ApprovalAnswer): boolean {
    return this.#open?.id === id && this.#deps.prompts.answer(id, answer);
  }
}

const mostShown = 200;

/** For people only: the model is not told how the gate is opened. */
function unaskedText({ summary, findings }: ApprovalRequest): string {
  const what = summary.length > mostShown ? `${summary.slice(0, mostShown)}…` : summary;
  const why = findings.map(({ description }) => description).join("; ");
  return (
    `Not run, because nobody can be asked here: ${what} (${why}). ` +
    "--yolo allows it for one run, approvals.headless: allow for all, command_allowlist for what it names."
  );
}

/** A choice that was not offered becomes the next narrower one that was. */
function offered(request: ApprovalRequest, choice: ApprovalChoice): ApprovalChoice {
  const from = narrowing.indexOf(choice);
  if (from < 0) return "deny";
  return narrowing.slice(from).find((one) => request.choices.includes(one)) ?? "deny";
}
