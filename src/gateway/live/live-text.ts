import { truncateEnd } from "#foundation/text/text";
import { readReply } from "../text/directives.ts";

const startedDirective = /(?:^|\s)M(?:E(?:D(?:I(?:A(?::[^\n]*)?)?)?)?)?$/u;
const longestVerbose = 600;

/** What people see of an answer that is still being written: files it names are not among it. */
export function visibleSoFar(text: string): string {
  const whole = readReply(text, { home: "", isFile: () => false }).text;
  return whole.replace(startedDirective, "");
}

export interface ToolLine {
  readonly text: string;
  readonly tool: string;
  readonly count: number;
}

/** Adds a call to the lines of progress; the same again is counted. */
export function withToolCall(
  lines: readonly ToolLine[],
  call: { readonly name: string; readonly preview: string; readonly args: unknown },
  { mode, previewLength }: { readonly mode: "new" | "all" | "verbose"; readonly previewLength: number },
): readonly ToolLine[] {
  const last = lines.at(-1);
  if (mode === "new" && last?.tool === call.name) return lines;
  const about =
    mode === "verbose"
      ? truncateEnd(JSON.stringify(call.args), longestVerbose)
      : truncateEnd(call.preview.replaceAll(/\s+/gu, " ").trim(), previewLength);
  const text = about === "" ? `⚙️ ${call.name}` : `⚙️ ${call.name}: \`${about.replaceAll("`", "'")}\``;
  if (last?.text === text) return [...lines.slice(0, -1), { ...last, count: last.count + 1 }];
  return [...lines, { text, tool: call.name, count: 1 }];
}

export function progressText(lines: readonly ToolLine[]): string {
  return lines.map(({ text, count }) => (count > 1 ? `${text} (×${count})` : text)).join("\n");
}

const mostReasoningLines = 15;

/** The model's thinking before its answer, in a block of its own. */
export function withReasoning(reasoning: string, answer: string): string {
  const lines = reasoning.trim().replaceAll("```", "'''").split("\n");
  const more = lines.length > mostReasoningLines ? [`… (${lines.length - mostReasoningLines} more lines)`] : [];
  return `\`\`\`\n${[...lines.slice(0, mostReasoningLines), ...more].join("\n")}\n\`\`\`\n\n${answer}`;
}
