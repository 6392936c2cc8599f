/**
 * The frames of one stream differ in one string (and perhaps a counter): once one frame was parsed, the
 * next is recognised by what surrounds that string. Exact by construction: a template is learned only
 * when a frame with another string in the same place parses to that other string, and it matches only
 * when everything around is the same, character by character, and the string is a JSON string.
 */
export class DeltaTemplate {
  readonly #key: string;
  readonly #read: (frame: string) => string | undefined;
  #prefix: Around | undefined;
  #suffix: Around | undefined;
  #misses = 0;

  /** `key` names the field; `read` gives the text of a whole frame, or undefined when the frame holds more than text. */
  constructor(key: string, read: (frame: string) => string | undefined) {
    this.#key = `"${key}":`;
    this.#read = read;
  }

  /** The text of a frame that has the known shape. */
  match(frame: string): string | undefined {
    if (this.#prefix === undefined || this.#suffix === undefined) return undefined;
    const start = matchStart(frame, this.#prefix);
    if (start < 0) return undefined;
    const end = matchEnd(frame, this.#suffix, start);
    if (end < 0) return undefined;
    const text = frame.slice(start, end);
    if (!special.test(text)) return text;
    return text.includes("\\") ? readLiteral(text) : undefined;
  }

  /** Call with a frame that did not match and turned out to be plain text after all; true when it was learned. */
  learn(frame: string, text: string): boolean {
    if (this.#misses >= maxMisses || text === "" || special.test(text)) return false;
    this.#misses += 1;
    const hole = findHole(frame, this.#key, text);
    if (hole < 0) return false;
    const before = frame.slice(0, hole);
    const after = frame.slice(hole + text.length);
    if (this.#read(`${before}${probe}${after}`) !== probe) return false;
    this.#prefix = splitAround(before);
    this.#suffix = splitAround(after);
    return true;
  }

  /** What was learned no longer holds. */
  forget(): void {
    this.#prefix = undefined;
    this.#suffix = undefined;
  }

  /** Frames match: the template is worth learning again when the shape changes. */
  praise(): void {
    this.#misses = 0;
  }
}

const maxMisses = 8;
const probe = "q7";
/** Whatever may not stand unescaped in a JSON string, and the escape itself. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids control characters in strings.
const special = /["\\\u0000-\u001f]/;

/** Constant text with at most one place that changes from frame to frame and says nothing. */
interface Around {
  readonly head: string;
  readonly tail: string;
  readonly hole: "none" | "digits" | "word";
}

const changing: readonly { readonly pattern: RegExp; readonly hole: "digits" | "word" }[] = [
  { pattern: /"sequence_number":(\d+)[,}]/, hole: "digits" },
  { pattern: /"obfuscation":"([A-Za-z0-9]*)"/, hole: "word" },
];

function splitAround(text: string): Around {
  for (const { pattern, hole } of changing) {
    const match = pattern.exec(text);
    const value = match?.[1];
    if (match === null || value === undefined) continue;
    const at = text.indexOf(":", match.index) + (hole === "word" ? 2 : 1);
    return { head: text.slice(0, at), tail: text.slice(at + value.length), hole };
  }
  return { head: text, tail: "", hole: "none" };
}

/** Index behind the prefix, or -1. Long texts are compared as wholes, which is several times faster than `startsWith`. */
function matchStart(frame: string, around: Around): number {
  if (frame.slice(0, around.head.length) !== around.head) return -1;
  if (around.hole === "none") return around.head.length;
  let at = around.head.length;
  while (isHoleCharacter(frame.charCodeAt(at), around.hole)) at += 1;
  if (around.hole === "digits" && !isNumber(frame, around.head.length, at)) return -1;
  const end = at + around.tail.length;
  return frame.slice(at, end) === around.tail ? end : -1;
}

/** Index where the suffix begins, or -1. */
function matchEnd(frame: string, around: Around, from: number): number {
  if (around.hole === "none") {
    const end = frame.length - around.head.length;
    return end >= from && frame.slice(end) === around.head ? end : -1;
  }
  const holeEnd = frame.length - around.tail.length;
  if (holeEnd < from || frame.slice(holeEnd) !== around.tail) return -1;
  let at = holeEnd;
  while (at > from && isHoleCharacter(frame.charCodeAt(at - 1), around.hole)) at -= 1;
  if (around.hole === "digits" && !isNumber(frame, at, holeEnd)) return -1;
  const end = at - around.head.length;
  return end >= from && frame.slice(end, at) === around.head ? end : -1;
}

/** JSON has no numbers with leading zeros. */
function isNumber(frame: string, from: number, to: number): boolean {
  return to > from && (to === from + 1 || frame.charCodeAt(from) !== 48);
}

function isHoleCharacter(code: number, hole: Around["hole"]): boolean {
  const isDigit = code >= 48 && code <= 57;
  return hole === "digits" ? isDigit : isDigit || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

/** Where the value of the key stands, when the key stands there once. */
function findHole(frame: string, key: string, text: string): number {
  const at = frame.indexOf(key);
  if (at < 0 || frame.indexOf(key, at + 1) >= 0) return -1;
  const quote = frame[at + key.length] === " " ? at + key.length + 1 : at + key.length;
  return frame.startsWith(`"${text}"`, quote) ? quote + 1 : -1;
}

function readLiteral(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(`"${text}"`);
    return typeof value === "string" ? value : undefined;
  } catch {
    // Not one string literal after all: the whole frame is parsed instead.
    return undefined;
  }
}
