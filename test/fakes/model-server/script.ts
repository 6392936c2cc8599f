import { fails } from "./failures.ts";
import { describeRequest, type ReceivedRequest } from "./received-request.ts";
import type { Reply } from "./reply.ts";

export type ScriptEntry = Reply | ((request: ReceivedRequest) => Reply);

/** Decides which reply answers a request: the listener, else the next scripted one, else the fallback. */
export class Script {
  readonly #entries: ScriptEntry[] = [];
  /** Descriptions of requests that found no reply. */
  readonly unanswered: string[] = [];
  #fallback: ScriptEntry | undefined;
  #listener: ((request: ReceivedRequest) => Reply | undefined) | undefined;

  get remaining(): number {
    return this.#entries.length;
  }

  append(entries: readonly ScriptEntry[]): void {
    this.#entries.push(...entries);
  }

  setFallback(entry: ScriptEntry): void {
    this.#fallback = entry;
  }

  setListener(listener: (request: ReceivedRequest) => Reply | undefined): void {
    this.#listener = listener;
  }

  next(request: ReceivedRequest): Reply {
    const heard = this.#listener?.(request);
    if (heard !== undefined) return heard;
    const entry = this.#entries.shift() ?? this.#fallback;
    if (entry !== undefined) return typeof entry === "function" ? entry(request) : entry;
    const description = describeRequest(request);
    this.unanswered.push(description);
    return fails(500, { message: `The script of the model server is exhausted: no reply for ${description}.` });
  }
}
