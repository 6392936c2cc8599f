import { timeLimit } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import type { SendErrorClass } from "../../platform/outbound.ts";
import { type Fields, fieldsAt, textAt } from "../support/fields.ts";
import { ServiceError } from "../support/service-error.ts";
import type { SocketLine } from "../support/socket.ts";

const timeoutMs = 15_000;
const limitedWaitMs = 5_000;
const classes: Readonly<Record<string, SendErrorClass>> = {
  // The system is busy.
  "-1": "network",
  "40001": "auth",
  "40013": "auth",
  "853000": "auth",
  "45009": "rate-limited",
  "846607": "rate-limited",
  "60011": "permission",
  "81013": "not-found",
  "93006": "not-found",
};

export interface WecomRequest {
  readonly cmd: string;
  readonly id: string;
  readonly body: Fields;
}

/** What was asked over the socket and is not answered yet. An answer carries the id of its request. */
export class WecomRequests {
  readonly #waiting = new Map<string, Deferred<Fields>>();
  #line: SocketLine | undefined;
  #count = 0;

  opened(line: SocketLine): void {
    this.#line = line;
  }

  /** Nobody knows what became of those that were sent. */
  closed(): void {
    this.#line = undefined;
    for (const waiting of this.#waiting.values()) waiting.reject(new Error("the line to WeCom ended"));
    this.#waiting.clear();
  }

  nextId(cmd: string): string {
    this.#count += 1;
    return `${cmd}_${Date.now().toString(36)}_${this.#count}`;
  }

  /** False when the frame is no answer. */
  answer(frame: Fields): boolean {
    const id = textAt(fieldsAt(frame, "headers"), "req_id");
    const waiting = this.#waiting.get(id);
    if (waiting === undefined || frame["cmd"] !== undefined) return false;
    this.#waiting.delete(id);
    const code = textAt(frame, "errcode") || "0";
    if (code === "0") waiting.resolve(fieldsAt(frame, "body"));
    else waiting.reject(refusalOf(code, textAt(frame, "errmsg")));
    return true;
  }

  async ask({ cmd, id, body }: WecomRequest, signal: AbortSignal): Promise<Fields> {
    if (this.#line === undefined)
      throw new ServiceError({ errorClass: "network", message: "there is no line to WeCom now" });
    const answer = new Deferred<Fields>();
    this.#waiting.set(id, answer);
    const within = timeLimit(timeoutMs, signal);
    const stop = (): void => answer.reject(new Error("WeCom gave no answer"));
    within.addEventListener("abort", stop, { once: true });
    if (within.aborted) stop();
    this.#line.write({ cmd, headers: { req_id: id }, body });
    try {
      return await answer.promise;
    } finally {
      within.removeEventListener("abort", stop);
      if (this.#waiting.get(id) === answer) this.#waiting.delete(id);
    }
  }
}

function refusalOf(code: string, message: string): ServiceError {
  const isCredential = /invalid.*(?:secret|bot_?id|credential)/iu.test(message);
  return new ServiceError({
    code,
    errorClass: classes[code] ?? (isCredential ? "auth" : "format"),
    message: `WeCom answered ${code} ${message}`,
    retryAfterMs: classes[code] === "rate-limited" ? limitedWaitMs : undefined,
  });
}
