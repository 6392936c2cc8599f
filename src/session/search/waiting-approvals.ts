import type { ApprovalAnswer, ApprovalChoice, ApprovalScopes } from "#conversation";
import { isRecord } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import type { Store } from "#store";

/** An approval that waits for the word of a person, in whichever program; without secrets. */
export interface WaitingApproval {
  readonly id: string;
  readonly sessionId: string;
  readonly title: string | undefined;
  readonly source: string;
  readonly tool: string;
  readonly summary: string;
  readonly reasons: readonly string[];
  readonly choices: readonly ApprovalChoice[];
  readonly scopes?: ApprovalScopes | undefined;
  readonly lines?: readonly number[] | undefined;
  readonly isDestructive: boolean;
  readonly askedAtMs: number;
}

const waitingKind = "approval.waiting";
const answerKind = "approval.answer";
const mostShown = 100;

/** How long a question stands without a sign of the program that asks: one that died leaves it for so long. */
export const waitingMs = 30_000;
/** An answer that nobody took by then belongs to a question that is over. */
const answerMs = 60_000;

type Documents = Pick<Store, "documents">;

/**
 * Approvals that wait, where all programs on one store see them. The program that asks says so again and again while it waits,
 * and takes the first answer that is left for it; what it was not offered counts for nothing.
 */
export class WaitingApprovals {
  readonly #store: Documents;
  readonly #clock: Clock;

  constructor(store: Documents, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async put(approval: WaitingApproval): Promise<void> {
    const expiresAtMs = this.#clock.now() + waitingMs;
    await this.#store.documents.put({ kind: waitingKind, key: approval.id, value: approval, expiresAtMs });
  }

  async remove(id: string): Promise<void> {
    await this.#store.documents.remove(waitingKind, id);
    await this.#store.documents.remove(answerKind, id);
  }

  async list(): Promise<readonly WaitingApproval[]> {
    const found = await this.#store.documents.list(waitingKind, { limit: mostShown });
    return found.flatMap(({ value }) => (isWaiting(value) ? [value] : []));
  }

  /** False when nobody asks that (any more), or this answer is not offered. */
  async answer(id: string, choice: string, reason?: string): Promise<boolean> {
    const waiting = (await this.list()).find((one) => one.id === id);
    const answer = answerAmong(waiting?.choices ?? [], choice, reason);
    if (answer === undefined) return false;
    const expiresAtMs = this.#clock.now() + answerMs;
    await this.#store.documents.put({ kind: answerKind, key: id, value: { choice, reason }, expiresAtMs });
    return true;
  }

  /** What somebody answered to this question in another program. */
  async answerTo({ id, choices }: Pick<WaitingApproval, "id" | "choices">): Promise<ApprovalAnswer | undefined> {
    const found = (await this.#store.documents.get(answerKind, id))?.value;
    return isRecord(found) ? answerAmong(choices, found["choice"], found["reason"]) : undefined;
  }
}

/** What somebody answered from outside, if it was offered. Only a no has a reason. */
export function answerAmong(
  choices: readonly ApprovalChoice[],
  choice: unknown,
  reason?: unknown,
): ApprovalAnswer | undefined {
  const offered = choices.find((one) => one === choice);
  if (offered !== "deny" || typeof reason !== "string" || reason.trim() === "") return offered;
  return { choice: offered, reason: reason.trim() };
}

function isWaiting(value: unknown): value is WaitingApproval {
  return isRecord(value) && typeof value["id"] === "string" && Array.isArray(value["choices"]);
}
