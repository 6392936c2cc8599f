import type { Background } from "../theme/skin.ts";

/** Asks a terminal for the colour behind its text (OSC 11). Those that do not know the question are silent. */
export const askForBackground = "\x1b]11;?\x07";

/** The Linux console and dumb terminals would write the question out; without colours nothing depends on the answer. */
export function mayAskForBackground(env: Readonly<Record<string, string | undefined>>): boolean {
  return !/^(?:linux|dumb|)$/.test(env["TERM"] ?? "");
}

/** What the terminal answers: `rgb:ffff/ffff/ffff`, with one to four digits a part. */
export function backgroundIn(sequence: string): Background | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the answer is a control sequence
  const answer = /^\x1b\]11;rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})/i.exec(sequence);
  if (answer === null) return undefined;
  const [red = 0, green = 0, blue = 0] = answer
    .slice(1)
    .map((digits) => Number.parseInt(digits, 16) / (16 ** digits.length - 1));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5 ? "light" : "dark";
}

/** What some terminals say in advance: `COLORFGBG=0;15`, the last being the background among the sixteen colours. */
export function backgroundOf(env: Readonly<Record<string, string | undefined>>): Background {
  const color = /(?:^|;)(\d+)$/.exec(env["COLORFGBG"] ?? "")?.[1];
  return color === "7" || color === "15" ? "light" : "dark";
}
