import type { Clock } from "#foundation/time/clock";
import type { Store } from "#store";
import { ApiError } from "./api-error.ts";
import type { Caller } from "./callers.ts";
import { sha256 } from "./settings.ts";

/** An answer that can be given again. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

export interface KeyedCall {
  readonly caller: Caller;
  /** `Idempotency-Key`; null: every call is one of its own. */
  readonly key: string | null;
  /** What was asked for. */
  readonly fingerprint: string;
}

const kind = "api.idempotency";
const livesMs = 300_000;
const mostKeys = 1000;

interface Kept {
  readonly fingerprint: string;
  readonly answer: Answer;
}

/** The same key and the same request within five minutes give the same answer, also after a restart; at the same time they share one run. */
export class Idempotency {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #running = new Map<string, { readonly fingerprint: string; readonly answer: Promise<Answer> }>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async once({ caller, key, fingerprint }: KeyedCall, work: () => Promise<Answer>): Promise<Answer> {
    if (key === null || key === "") return await work();
    if (key.length > 255)
      throw new ApiError(400, "Idempotency-Key has at most 255 characters.", { code: "invalid_idempotency_key" });
    const id = sha256(`${caller.name}\n${key}`);
    const print = sha256(fingerprint);
    const running = this.#running.get(id);
    if (running !== undefined) return await same(running, print);
    const answer = this.#kept(id).then(async (kept) => {
      if (kept === undefined) return await this.#keep(id, print, work);
      if (kept.fingerprint !== print) throw reused();
      return kept.answer;
    });
    this.#running.set(id, { fingerprint: print, answer });
    try {
      return await answer;
    } finally {
      this.#running.delete(id);
    }
  }

  async #kept(id: string): Promise<Kept | undefined> {
    const found = await this.#store.documents.get(kind, id);
    return found === undefined || (found.expiresAtMs ?? 0) < this.#clock.now() ? undefined : (found.value as Kept);
  }

  /** A failure is not kept: whoever tries again wants another try. */
  async #keep(id: string, fingerprint: string, work: () => Promise<Answer>): Promise<Answer> {
    const answer = await work();
    if (answer.status < 500) {
      const expiresAtMs = this.#clock.now() + livesMs;
      await this.#store.documents.put({ kind, key: id, value: { fingerprint, answer }, expiresAtMs });
      await this.#store.documents.trim(kind, mostKeys);
    }
    return answer;
  }
}

async function same(
  { fingerprint, answer }: { readonly fingerprint: string; readonly answer: Promise<Answer> },
  print: string,
): Promise<Answer> {
  if (fingerprint !== print) throw reused();
  return await answer;
}

function reused(): ApiError {
  return new ApiError(422, "This Idempotency-Key was used for another request.", { code: "idempotency_key_reuse" });
}
