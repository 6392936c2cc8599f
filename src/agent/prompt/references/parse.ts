/** One `@` reference in a user's message. */
export type Reference =
  | { readonly kind: "file"; readonly raw: string; readonly path: string; readonly lines?: LineRange }
  | { readonly kind: "folder"; readonly raw: string; readonly path: string }
  | { readonly kind: "diff" | "staged"; readonly raw: string }
  | { readonly kind: "git"; readonly raw: string; readonly count: number }
  | { readonly kind: "url"; readonly raw: string; readonly url: string };

export interface LineRange {
  readonly from: number;
  readonly to: number;
}

export interface ParsedReferences {
  readonly references: readonly Reference[];
  /** References whose value makes no sense, as sentences for the user. */
  readonly warnings: readonly string[];
}

/** Not behind a letter or a slash, so that an address such as ana@file.test is none. */
const pattern =
  /(?<![\w/@.])@(?:(diff|staged)(?![\w:-])|(file|folder|git|url):("[^"\n]*"(?::\d+(?:-\d+)?)?|'[^'\n]*'(?::\d+(?:-\d+)?)?|`[^`\n]*`(?::\d+(?:-\d+)?)?|\S+))/g;

const maxReferences = 50;
const maxValueCharacters = 4_000;
const maxCommits = 10;

/** Every reference once, in the order of the text. */
export function parseReferences(text: string): ParsedReferences {
  const references = new Map<string, Reference>();
  const warnings: string[] = [];
  for (const match of text.matchAll(pattern)) {
    if (references.size >= maxReferences) {
      warnings.push(`Only the first ${maxReferences} references of a message are attached.`);
      break;
    }
    const parsed = match[1] === undefined ? parseValued(match[2] ?? "", match[3] ?? "", warnings) : simple(match[1]);
    if (parsed !== undefined) references.set(parsed.raw, parsed);
  }
  return { references: [...references.values()], warnings };
}

function simple(word: string): Reference {
  return { kind: word === "staged" ? "staged" : "diff", raw: `@${word}` };
}

function parseValued(kind: string, written: string, warnings: string[]): Reference | undefined {
  if (written.length > maxValueCharacters) {
    warnings.push(`A reference @${kind}: longer than ${maxValueCharacters} characters is ignored.`);
    return undefined;
  }
  const { value, suffix, isQuoted } = unquote(written);
  const text = isQuoted ? value : withoutTail(value);
  const raw = `@${kind}:${isQuoted ? written : text}`;
  if (text.trim() === "") {
    warnings.push(`${raw} names nothing.`);
    return undefined;
  }
  switch (kind) {
    case "file":
      return fileReference(raw, text, suffix);
    case "folder":
      return { kind: "folder", raw, path: text };
    case "git":
      return gitReference(raw, text, warnings);
    default:
      return { kind: "url", raw, url: text };
  }
}

const closers: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** Without the punctuation of the sentence around it, and without a bracket that was opened before it. */
function withoutTail(value: string): string {
  let text = value;
  for (;;) {
    const last = text.at(-1) ?? "";
    const opener = closers[last];
    const isSurplus = opener !== undefined && text.split(last).length > text.split(opener).length;
    if (!isSurplus && (last === "" || !",.;!?".includes(last))) return text;
    text = text.slice(0, -1);
  }
}

function unquote(written: string): { readonly value: string; readonly suffix: string; readonly isQuoted: boolean } {
  const quote = written[0] ?? "";
  const end = "\"'`".includes(quote) ? written.indexOf(quote, 1) : -1;
  if (end < 0) return { value: written, suffix: "", isQuoted: false };
  return { value: written.slice(1, end), suffix: written.slice(end + 1), isQuoted: true };
}

/** The range stands behind the closing quote, or at the end of a bare path. */
function fileReference(raw: string, text: string, suffix: string): Reference {
  const match = /^(.*):(\d{1,9})(?:-(\d{1,9}))?$/.exec(text + suffix);
  if (match === null) return { kind: "file", raw, path: text };
  const from = Math.max(1, Number(match[2]));
  return { kind: "file", raw, path: match[1] ?? "", lines: { from, to: Math.max(from, Number(match[3] ?? from)) } };
}

function gitReference(raw: string, text: string, warnings: string[]): Reference | undefined {
  if (!/^\d{1,6}$/.test(text)) {
    warnings.push(`${raw} needs a number of commits from 1 to ${maxCommits}.`);
    return undefined;
  }
  const count = Math.min(maxCommits, Math.max(1, Number(text)));
  if (count !== Number(text)) warnings.push(`${raw} is limited to 1 to ${maxCommits} commits; ${count} attached.`);
  return { kind: "git", raw, count };
}
