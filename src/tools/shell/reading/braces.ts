/** Beyond this many words a brace expansion is not followed. */
const maxWords = 256;

/**
 * The words a word becomes by brace expansion, still with their quotes: `a{b,"c d"}` gives `ab` and `a"c d"`. Undefined
 * when there are too many.
 */
export function expandBraces(text: string): readonly string[] | undefined {
  const budget = { left: maxWords };
  const words = expand(text, budget);
  return budget.left < 0 ? undefined : words;
}

interface Budget {
  left: number;
}

function expand(text: string, budget: Budget): readonly string[] {
  if (budget.left < 0) return [];
  for (let at = nextOpen(text, 0); at >= 0; at = nextOpen(text, at + 1)) {
    // An empty pair in front of a word is text.
    if (at === 0 && text[1] === "}") continue;
    const end = closing(text, at);
    if (end < 0) continue;
    const items = itemsOf(text.slice(at + 1, end), budget);
    if (items === undefined) continue;
    const before = text.slice(0, at);
    const after = expand(text.slice(end + 1), budget);
    const inner = items.flatMap((item) => (item.isRange ? [item.text] : expand(item.text, budget)));
    budget.left -= inner.length * after.length;
    return budget.left < 0 ? [] : inner.flatMap((one) => after.map((rest) => `${before}${one}${rest}`));
  }
  return [text];
}

interface Item {
  readonly text: string;
  readonly isRange: boolean;
}

/** Undefined when the braces hold neither a list nor a range, and so stand for themselves. */
function itemsOf(inner: string, budget: Budget): readonly Item[] | undefined {
  const pieces = splitTop(inner);
  if (pieces.length > 1) return pieces.map((text) => ({ text, isRange: false }));
  return rangeOf(inner, budget)?.map((text) => ({ text, isRange: true }));
}

function rangeOf(inner: string, budget: Budget): readonly string[] | undefined {
  const match = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$/.exec(inner);
  if (match === null) return undefined;
  const [, from = "", to = "", by = ""] = match;
  const areNumbers = /\d/.test(from) && /\d/.test(to);
  if (!areNumbers && (/\d/.test(from) || /\d/.test(to))) return undefined;
  const first = areNumbers ? Number(from) : from.charCodeAt(0);
  const last = areNumbers ? Number(to) : to.charCodeAt(0);
  const step = Math.max(1, Math.abs(Number(by === "" ? 1 : by)));
  if (Math.abs(last - first) / step > maxWords) {
    budget.left = -1;
    return [];
  }
  const isPadded = areNumbers && [from, to].some((bound) => /^-?0\d/.test(bound));
  const width = isPadded ? Math.max(from.length, to.length) : 0;
  const found: string[] = [];
  for (let value = first; first <= last ? value <= last : value >= last; value += first <= last ? step : -step) {
    found.push(areNumbers ? padded(value, width) : String.fromCharCode(value));
  }
  return found;
}

function padded(value: number, width: number): string {
  const digits = String(Math.abs(value)).padStart(value < 0 ? width - 1 : width, "0");
  return value < 0 ? `-${digits}` : digits;
}

/** The next brace that could open an expansion: outside quotes, not escaped, not `${`. */
function nextOpen(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const skipped = skip(text, at);
    if (skipped > at) {
      at = skipped - 1;
      continue;
    }
    if (text[at] === "{") return at;
  }
  return -1;
}

/** Where an expansion ends: a brace before which nothing was told apart yet is an ordinary character. */
function closing(text: string, open: number): number {
  let depth = 0;
  let hasItems = false;
  for (let at = open + 1; at < text.length; at += 1) {
    const skipped = skip(text, at);
    if (skipped > at) {
      at = skipped - 1;
      continue;
    }
    if (text[at] === "{") depth += 1;
    else if (text[at] === "}" && depth > 0) depth -= 1;
    else if (text[at] === "}" && hasItems) return at;
    else if (depth === 0)
      hasItems ||=
        text[at] === "," || (text.startsWith("..", at) && text[at + 2] !== undefined && text[at + 2] !== "}");
  }
  return -1;
}

function splitTop(inner: string): readonly string[] {
  const pieces: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < inner.length; at += 1) {
    const skipped = skip(inner, at);
    if (skipped > at) {
      at = skipped - 1;
      continue;
    }
    if (inner[at] === "{") depth += 1;
    else if (inner[at] === "}") depth = Math.max(0, depth - 1);
    else if (inner[at] === "," && depth === 0) {
      pieces.push(inner.slice(start, at));
      start = at + 1;
    }
  }
  return [...pieces, inner.slice(start)];
}

/** The end of a quoted or substituted stretch that begins here, or the same place when none does. */
function skip(text: string, at: number): number {
  const here = text[at];
  if (here === "\\") return at + 2;
  if (here === "'") return endOf(text, at, "'");
  if (here === "`") return endOfEscaped(text, at, "`");
  if (here === '"') return endOfDoubleQuotes(text, at);
  if (here !== "$") return at;
  const next = text[at + 1];
  if (next === "'") return endOfEscaped(text, at + 1, "'");
  if (next === "{") return endOfPair(text, at + 1, "{}");
  if (next === "(") return endOfPair(text, at + 1, "()");
  return at;
}

function endOf(text: string, at: number, mark: string): number {
  const end = text.indexOf(mark, at + 1);
  return end < 0 ? text.length : end + 1;
}

function endOfEscaped(text: string, at: number, mark: string): number {
  for (let here = at + 1; here < text.length; here += 1) {
    if (text[here] === "\\") here += 1;
    else if (text[here] === mark) return here + 1;
  }
  return text.length;
}

function endOfDoubleQuotes(text: string, at: number): number {
  for (let here = at + 1; here < text.length; here += 1) {
    if (text[here] === '"') return here + 1;
    if (text[here] === "\\") here += 1;
    else if (text[here] === "$" || text[here] === "`") here = Math.max(here, skip(text, here) - 1);
  }
  return text.length;
}

function endOfPair(text: string, at: number, pair: string): number {
  let depth = 0;
  for (let here = at; here < text.length; here += 1) {
    if (text[here] === pair[0]) depth += 1;
    else if (text[here] === pair[1]) {
      depth -= 1;
      if (depth === 0) return here + 1;
    } else {
      const skipped = skip(text, here);
      if (skipped > here) here = skipped - 1;
    }
  }
  return text.length;
}
