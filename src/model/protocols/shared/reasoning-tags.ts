import { reasoningTagNames } from "#conversation";

/** Where the two kinds of text go. */
export interface SplitSink {
  text(text: string): void;
  reasoning(text: string): void;
  /** A scratchpad was opened and the stream ended inside it. */
  leftOpen?(): void;
}

/** Models write plans in here and must close it before they answer; the other tags may end with the answer. */
const scratchpad = "reasoning_scratchpad";

const longestTag = 240;
const opener = new RegExp(`^<(${reasoningTagNames.join("|")})(\\s[^<>]{0,200})?>`, "i");

/**
 * Takes `<think>…</think>` and its kin out of a text stream, however the pieces are cut. A tag opens
 * reasoning only at the start of a line and outside a fenced code block: there the rest is certainly no
 * prose about tags. What stands in the middle of a line is left to the pass over the whole text.
 */
export class ReasoningTags {
  readonly #sink: SplitSink;
  /** Text that cannot be judged yet: the beginning of a line or of a closing tag. */
  #held = "";
  #tag: string | undefined;
  /** Only blanks stand between the last line break and here. */
  #atLineStart = true;
  #fence: string | undefined;
  #hasVisible = false;
  #skipsBlanks = false;

  constructor(sink: SplitSink) {
    this.#sink = sink;
  }

  push(piece: string): void {
    // The usual case: in the middle of a line of prose.
    if (
      this.#held === "" &&
      this.#tag === undefined &&
      !this.#atLineStart &&
      !this.#skipsBlanks &&
      !piece.includes("\n")
    ) {
      this.#sink.text(piece);
      return;
    }
    this.#held += piece;
    while (this.#held !== "" && (this.#tag === undefined ? this.#readText() : this.#readThought()));
  }

  /** The stream is over: what was held back is what it looks like; blanks behind the last line are nothing. */
  end(): void {
    const rest = this.#held;
    this.#held = "";
    if (this.#tag === scratchpad) this.#sink.leftOpen?.();
    if (rest.trim() === "") return;
    if (this.#tag === undefined) this.#emitText(rest);
    else this.#sink.reasoning(rest);
  }

  /** Handles what can be judged; false when more text is needed. */
  #readText(): boolean {
    if (!this.#atLineStart) return this.#readToLineEnd();
    const line = /^[ \t\r]*/.exec(this.#held)?.[0] ?? "";
    const first = this.#held[line.length];
    if (first === undefined) return false;
    if (first === "\n") {
      this.#emitText(this.#cut(line.length + 1));
      return true;
    }
    if (first === "`" || first === "~") return this.#readFence(line.length);
    if (first !== "<" || this.#fence !== undefined) return this.#leaveLineStart();
    const rest = this.#held.slice(line.length);
    const match = opener.exec(rest);
    if (match !== null) {
      this.#emitText(this.#cut(line.length));
      this.#cut(match[0].length);
      this.#tag = (match[1] ?? "").toLowerCase();
      return true;
    }
    return mayBecomeOpener(rest) ? false : this.#leaveLineStart();
  }

  #readFence(at: number): boolean {
    const run = /^(`+|~+)/.exec(this.#held.slice(at))?.[0] ?? "";
    // The run may still grow.
    if (at + run.length === this.#held.length && run.length < 3) return false;
    if (run.length >= 3) {
      if (this.#fence === undefined) this.#fence = run.slice(0, 3);
      else if (run.startsWith(this.#fence)) this.#fence = undefined;
    }
    return this.#leaveLineStart();
  }

  #leaveLineStart(): boolean {
    this.#atLineStart = false;
    return true;
  }

  #readToLineEnd(): boolean {
    const newline = this.#held.indexOf("\n");
    if (newline < 0) {
      this.#emitText(this.#cut(this.#held.length));
      return true;
    }
    this.#emitText(this.#cut(newline + 1));
    this.#atLineStart = true;
    return true;
  }

  #readThought(): boolean {
    const closing = new RegExp(`</${this.#tag ?? ""}(\\s[^<>]{0,200})?>`, "i").exec(this.#held);
    if (closing !== null) {
      this.#sink.reasoning(this.#cut(closing.index));
      this.#cut(closing[0].length);
      this.#tag = undefined;
      this.#atLineStart = true;
      this.#skipsBlanks = !this.#hasVisible;
      return true;
    }
    const last = this.#held.lastIndexOf("<");
    const keepsTail = last >= 0 && this.#held.length - last < longestTag && mayBecomeCloser(this.#held.slice(last));
    this.#sink.reasoning(this.#cut(keepsTail ? last : this.#held.length));
    return false;
  }

  #emitText(text: string): void {
    let shown = text;
    if (this.#skipsBlanks) {
      shown = text.trimStart();
      if (shown === "") return;
      this.#skipsBlanks = false;
    }
    if (shown.trim() !== "") this.#hasVisible = true;
    this.#sink.text(shown);
  }

  #cut(length: number): string {
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return text;
  }
}

function mayBecomeOpener(text: string): boolean {
  if (text.length >= longestTag) return false;
  const name = /^<([a-z_]*)/i.exec(text)?.[1]?.toLowerCase() ?? "";
  const isNameOpen = text.length === name.length + 1;
  if (isNameOpen) return reasoningTagNames.some((known) => known.startsWith(name));
  return reasoningTagNames.some((known) => known === name) && /^<\w+\s[^<>]*$/.test(text);
}

function mayBecomeCloser(text: string): boolean {
  return /^<(?:\/(?:[a-z_]*(?:\s[^<>]*)?)?)?$/i.test(text);
}
