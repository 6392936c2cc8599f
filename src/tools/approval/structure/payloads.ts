import type { SimpleCommand } from "./simple-command.ts";

/** Programs that read commands of a shell. */
export const shells: ReadonlySet<string> = new Set(["sh", "bash", "zsh", "ksh", "dash", "ash", "fish", "mksh"]);

const decoders: Readonly<Record<string, (text: string) => string>> = {
  base64: (text) => Buffer.from(text, "base64").toString("utf8"),
  base32: () => "",
  xxd: (text) => Buffer.from(text.replace(/\s+/g, ""), "hex").toString("utf8"),
  rev: (text) =>
    text
      .split("\n")
      .map((line) => [...line].reverse().join(""))
      .join("\n"),
  tr: (text) => text,
  cat: (text) => text,
  tee: (text) => text,
};

/**
 * The text that commands in front of a shell would feed it, where all of it is written in the line
 * itself: `echo …`, `printf …`, a here-document, decoded on the way. Undefined when it is not known.
 */
export function pipedText(
  upstream: readonly SimpleCommand[],
): { readonly text: string; readonly wasDecoded: boolean } | undefined {
  const [first, ...filters] = upstream;
  const start = first === undefined ? undefined : printedText(first);
  if (start === undefined) return undefined;
  let text = start;
  let wasDecoded = false;
  for (const filter of filters) {
    const decode = decoders[filter.name ?? ""];
    if (decode === undefined) return undefined;
    const isDecoding = filter.args.some((arg) => /^-{1,2}(?:d|D|r|decode)|^-r/.test(arg.text)) || filter.name === "rev";
    if (filter.name === "base64" && !isDecoding) return undefined;
    text = decode(text);
    wasDecoded ||= isDecoding;
  }
  return { text, wasDecoded };
}

/** What a command prints when that is plain from its words. */
export function printedText(command: SimpleCommand): string | undefined {
  if (command.input !== undefined && (command.name === "cat" || command.name === "tee")) return command.input;
  if (command.name !== "echo" && command.name !== "printf") return undefined;
  if (!command.args.every((arg) => arg.isKnown)) return undefined;
  const words = command.args.map((arg) => arg.text);
  if (command.name === "echo") {
    const text = words.filter((word, index) => !(index < 2 && /^-[neE]+$/.test(word))).join(" ");
    return /-\w*e/.test(words[0] ?? "") ? escapes(text) : text;
  }
  const [format = "", ...values] = words.filter((word) => word !== "--");
  let next = 0;
  return escapes(format.replace(/%[sb]/g, () => values[next++] ?? ""));
}

function escapes(text: string): string {
  return text
    .replace(/\\x([0-9a-fA-F]{1,2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\0?([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
    .replaceAll("\\n", "\n")
    .replaceAll("\\t", "\t");
}
