import type { ApprovalAnswer } from "#conversation";
import { linkSignals } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import type { SessionEvent, SessionInfo } from "../api.ts";
import { type WaitingApproval, WaitingApprovals, waitingMs } from "../search/waiting-approvals.ts";
import type { SessionDeps } from "../session-deps.ts";
import type { BackgroundWork } from "../turns/background-work.ts";

export interface ShownApprovalsDeps {
  readonly session: Pick<SessionDeps, "store" | "clock" | "redact">;
  readonly work: BackgroundWork;
  info(): SessionInfo;
  approve(id: string, answer: ApprovalAnswer): void;
}

const lookMs = 500;

/** Shows what waits for an approval here to the other programs on the store, and takes the answer of a person there. */
export class ShownApprovals {
  readonly #deps: ShownApprovalsDeps;
  readonly #waiting: WaitingApprovals;
  readonly #clock: Clock;
  readonly #open = new Map<string, AbortController>();

  constructor(deps: ShownApprovalsDeps) {
    this.#deps = deps;
    this.#clock = deps.session.clock;
    this.#waiting = new WaitingApprovals(deps.session.store, this.#clock);
  }

  note(event: SessionEvent): void {
    if (event.type === "approval-request") this.#show(event);
    else if (event.type === "approval-response") this.#open.get(event.id)?.abort();
  }

  #show(request: Extract<SessionEvent, { type: "approval-request" }>): void {
    const { info, session, work } = this.#deps;
    const { id, tool, reasons, choices, scopes, lines, isDestructive } = request;
    const { id: sessionId, title, source } = info();
    const shown: WaitingApproval = {
      ...{ id, sessionId, title, source, tool, reasons, choices, scopes, lines, isDestructive },
      summary: session.redact(request.summary),
      askedAtMs: this.#clock.now(),
    };
    const over = new AbortController();
    this.#open.set(id, over);
    work.start("showing an approval", async (signal) => {
      try {
        await this.#await(shown, linkSignals(signal, over.signal));
      } finally {
        this.#open.delete(id);
        await this.#waiting.remove(id);
      }
    });
  }

  async #await(shown: WaitingApproval, signal: AbortSignal): Promise<void> {
    let toldAtMs = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      const now = this.#clock.now();
      if (now - toldAtMs >= waitingMs / 3) {
        await this.#waiting.put(shown);
        toldAtMs = now;
      }
      const answer = await this.#waiting.answerTo(shown);
      if (answer !== undefined) return this.#deps.approve(shown.id, answer);
      await this.#clock.sleep(lookMs, signal).catch(() => undefined);
    }
  }
}
