import type { Language } from "../../shell/programs/interpreters.ts";
import { lex } from "../structure/code/lexer.ts";

/** Code without the calls that start programs or fetch addresses by words that stand there, and what they come to as command lines. */
export interface StartedCommands {
  readonly commands: readonly string[];
  /** The rest of the code. */
  readonly rest: string;
  /** The texts of the rest. */
  readonly texts: readonly string[];
}

/** A call that fetches an address which stands there whole, and says nothing else, is what `curl` does with it. */
const fetched = '\\(\\s*"(?<address>\\d+)"\\s*(?:,\\s*timeout\\s*=\\s*[\\d.]+\\s*)?\\)';
const list = '\\[\\s*((?:"\\d+"\\s*,?\\s*)*)\\]';

/** Calls whose words are all written down: one text is a command line, a list is a program with its words. */
const calls: Readonly<Partial<Record<Language, readonly RegExp[]>>> = {
  python: [
    /\bos\s*\.\s*(?:system|popen)\s*\(\s*"(?<line>\d+)"\s*(?=[),])/g,
    /\bsubprocess\s*\.\s*(?:run|call|check_call|check_output|getoutput|Popen)\s*\(\s*"(?<line>\d+)"\s*(?=[),])/g,
    new RegExp(
      `\\bsubprocess\\s*\\.\\s*(?:run|call|check_call|check_output|Popen)\\s*\\(\\s*${list.replace("(", "(?<words>")}\\s*(?=[),])`,
      "g",
    ),
    /(?<=\bimport\s[\w\s,.]*)\bsubprocess\b(?!\s+as\b)/g,
    new RegExp(`\\b(?:[\\w.]+\\s*\\.\\s*)?urlopen\\s*${fetched}`, "g"),
    new RegExp(`\\brequests\\s*\\.\\s*get\\s*${fetched}`, "g"),
    /\bimport\s+(?<names>requests)\b(?!\s+as\b)/g,
    /\bimport\s+urllib\s*\.\s*request\b(?:\s+as\s+(?<names>\w+))?/g,
    /\bsubprocess\s*\.\s*(?:PIPE|DEVNULL|STDOUT|CalledProcessError|TimeoutExpired)\b/g,
  ],
  javascript: [
    /\bimport\s*\{(?<names>[\w\s,]*)\}\s*from\s*"(?<module>\d+)"/g,
    /\b(?:const|let|var)\s*\{?(?<names>[\w\s,]*)\}?\s*=\s*require\s*\(\s*"(?<module>\d+)"\s*\)/g,
    /\brequire\s*\(\s*"(?<module>\d+)"\s*\)\s*\.\s*exec(?:Sync)?\s*\(\s*"(?<line>\d+)"\s*(?=[),])/g,
    /\b(?:\w+\s*\.\s*)?exec(?:Sync)?\s*\(\s*"(?<line>\d+)"\s*(?=[),])/g,
    new RegExp(
      `\\b(?:\\w+\\s*\\.\\s*)?(?:execFile|spawn)(?:Sync)?\\s*\\(\\s*"(?<program>\\d+)"\\s*(?:,\\s*${list.replace("(", "(?<words>")}\\s*)?(?=[),])`,
      "g",
    ),
    new RegExp(`\\bfetch\\s*${fetched}`, "g"),
  ],
};

/** Modules that only start programs: what they start is judged. */
const startingModule = /^(?:node:)?child_process$/;

/** Takes out of code what starts a program by words that stand there. Undefined when such words cannot be read. */
export function startedCommands(source: string, language: Language): StartedCommands | undefined {
  const { code, texts } = lex(source, language);
  const used = new Set<number>();
  const commands: string[] = [];
  const names = new Set<string>();
  let isReadable = true;
  let rest = code;
  const take = (index: string | undefined): string | undefined => {
    const at = Number(index);
    used.add(at);
    return plainText(texts[at] ?? "", language);
  };
  for (const pattern of calls[language] ?? [])
    rest = rest.replace(pattern, (whole, ...more) => {
      const groups = more.at(-1) as Readonly<Record<string, string | undefined>> | string;
      if (typeof groups === "string") return " ";
      const { module, line, program, words, address } = groups;
      if (address !== undefined) keep(joined(["curl", "-s", take(address)]));
      if (module !== undefined) {
        if (!startingModule.test(texts[Number(module)] ?? "")) return whole;
        used.add(Number(module));
      }
      for (const name of groups["names"]?.match(/\w+/g) ?? []) names.add(name);
      if (line !== undefined) keep(take(line));
      if (program !== undefined || words !== undefined) {
        const numbers = [...(program === undefined ? [] : [program]), ...(words?.match(/\d+/g) ?? [])];
        keep(joined(numbers.map(take)));
      }
      return " ";
    });
  // Under another name, or handed on, it may start anything.
  const isHandedOn = (rest.match(/\w+/g) ?? []).some((word) => names.has(word));
  return isReadable && !isHandedOn
    ? { commands, rest, texts: texts.filter((_, index) => !used.has(index)) }
    : undefined;

  function keep(command: string | undefined): void {
    if (command === undefined) isReadable = false;
    else commands.push(command);
  }
}

/** The words of a program as a shell would be told them. */
function joined(words: readonly (string | undefined)[]): string | undefined {
  const known = words.filter((word) => word !== undefined);
  if (known.length < words.length) return undefined;
  return known.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", '"': '"', "'": "'", "\\": "\\" };

/** What a text with the usual escapes stands for; undefined with others, and where something is put in. */
function plainText(text: string, language: Language): string | undefined {
  if ((language === "javascript" && text.includes("${")) || /\\(?![nt"'\\])/.test(text)) return undefined;
  return text.replace(/\\([nt"'\\])/g, (_, letter: string) => escapes[letter] ?? "");
}
