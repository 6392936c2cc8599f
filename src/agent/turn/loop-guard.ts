import { createHash } from "node:crypto";
import { canonicalArguments, type ToolCall } from "#conversation";

/** What to do about a call that brings nothing new. */
export type LoopVerdict = "go-on" | "nudge" | "withhold" | "stop";

/** Same call, same result, this often in a row: the model is told. */
const nudgeAt = 3;
/** From then on the call is answered without running it. */
const withholdAt = 5;
const stopAt = 7;

interface Repeat {
  readonly result: string;
  readonly count: number;
}

/**
 * Notices a turn that makes no progress: the same call with the same result, alone or in a circle of
 * several. Anything not seen before in this turn is progress, and what repeated until then may repeat
 * again: running the tests after every edit is not a loop.
 */
export class LoopGuard {
  readonly #repeats = new Map<string, Repeat>();
  readonly #seen = new Set<string>();

  /** Asked before a call runs. */
  mayRun(call: ToolCall): boolean {
    return this.#countOf(call) < withholdAt;
  }

  /** A call was answered without running it. */
  withheld(call: ToolCall): LoopVerdict {
    const key = keyOf(call);
    const repeat = this.#repeats.get(key);
    const count = (repeat?.count ?? 0) + 1;
    this.#repeats.set(key, { result: repeat?.result ?? "", count });
    return this.#verdict(count);
  }

  /** A call ran and gave this. */
  observe(call: ToolCall, resultText: string): LoopVerdict {
    const key = keyOf(call);
    const result = hash(resultText);
    const repeat = this.#repeats.get(key);
    const isNew = !this.#seen.has(`${key}:${result}`);
    if (isNew) this.#repeats.clear();
    this.#seen.add(`${key}:${result}`);
    const count = isNew ? 1 : (repeat?.count ?? 0) + 1;
    this.#repeats.set(key, { result, count });
    return this.#verdict(count);
  }

  #verdict(count: number): LoopVerdict {
    if (count >= stopAt) return "stop";
    if (count >= withholdAt) return "withhold";
    return count >= nudgeAt ? "nudge" : "go-on";
  }

  #countOf(call: ToolCall): number {
    return this.#repeats.get(keyOf(call))?.count ?? 0;
  }
}

function keyOf(call: ToolCall): string {
  return `${call.function.name}:${hash(canonicalArguments(call.function.arguments))}`;
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
