import type { HereDoc, Redirection } from "unbash";
import { type Argument, type Input, literal, type OutputRedirect, unknownText } from "../simple-command.ts";
import type { ExpandHost } from "./expand-host.ts";
import type { ReaderPort } from "./reader-port.ts";
import { expandParts, expandText, expandWord } from "./words.ts";

export interface Redirects {
  readonly writes: readonly OutputRedirect[];
  readonly reads: readonly Argument[];
  readonly input: Input;
  readonly hasHereText: boolean;
  /** Where standard output goes instead of being printed. */
  readonly outputTo: OutputRedirect | undefined;
  /** What `< file` alone prints inside a substitution. */
  readonly readText: string | undefined;
}

/** What the redirections of a command read and write. */
export function redirectsOf(redirects: readonly Redirection[], host: ExpandHost, reader: ReaderPort): Redirects {
  const writes: OutputRedirect[] = [];
  const reads: Argument[] = [];
  let input: Input;
  let hasHereText = false;
  let outputTo: OutputRedirect | undefined;
  for (const redirect of redirects) {
    const isInput = redirect.descriptor === undefined || isDescriptor(redirect, 0);
    if (redirect.type === "HereDoc" || redirect.type === "HereString") {
      const text = redirect.type === "HereDoc" ? documentText(redirect, host) : hereString(redirect, host);
      hasHereText ||= isInput;
      if (isInput) input = text;
      continue;
    }
    if (redirect.target === undefined) continue;
    const target = targetOf(redirect.target, host);
    const isCopy = redirect.operator === "<&" || (redirect.operator === ">&" && /^\d+-?$|^-$/.test(target.text));
    if (isCopy) {
      if (isInput && redirect.operator === "<&" && !/^[0-2-]$/.test(target.text)) input = unknownText;
      continue;
    }
    if (redirect.operator === "<" || redirect.operator === "<>") {
      reads.push(target);
      if (isInput) input = reader.readFile(target) ?? (target.text === "/dev/null" ? "" : unknownText);
      if (redirect.operator === "<") continue;
    }
    const write = { target, isAppend: redirect.operator.includes(">>") || redirect.operator === "<>" };
    writes.push(write);
    const isOutput = redirect.descriptor === undefined || isDescriptor(redirect, 1);
    if (isOutput && redirect.operator !== "<>") outputTo = write;
  }
  return {
    writes,
    reads,
    input,
    hasHereText,
    outputTo,
    readText: reads.length > 0 ? (input ?? unknownText) : undefined,
  };
}

function isDescriptor(redirect: Redirection, wanted: number): boolean {
  return redirect.descriptor?.type === "FileDescriptor" && redirect.descriptor.value === wanted;
}

function targetOf(word: Parameters<typeof expandWord>[0], host: ExpandHost): Argument {
  const ways = expandWord(word, host);
  const [fields = [], ...others] = ways;
  const [only, ...more] = fields;
  if (only === undefined || more.length > 0 || others.length > 0) return { ...literal(unknownText), isKnown: false };
  return only;
}

function documentText(document: HereDoc, host: ExpandHost): string {
  const { body, delimiter, operator } = document;
  const text =
    delimiter?.quoted === true || body.parts === undefined
      ? delimiter?.quoted === true
        ? body.text
        : body.text.replace(/\\([\\$`\n])/g, (_, one: string) => (one === "\n" ? "" : one))
      : expandParts(body.parts, host).text;
  return operator === "<<-" ? text.replace(/^\t+/gm, "") : text;
}

function hereString(redirect: Extract<Redirection, { type: "HereString" }>, host: ExpandHost): string {
  if (redirect.target === undefined) return "\n";
  const [only, ...more] = expandText(redirect.target, host);
  return `${more.length > 0 ? unknownText : (only?.text ?? "")}\n`;
}
