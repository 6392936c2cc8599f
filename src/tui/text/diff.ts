import { plural } from "#foundation/text/figures";
import { cutText, type Line } from "./styled.ts";

const maxFiles = 6;
const maxLines = 80;

/** A unified diff, coloured and bounded. */
export function diffRows(diff: string, columns: number): Line[] {
  const lines = diff.replace(/\n+$/, "").split("\n");
  const rows: Line[] = [];
  let files = 0;
  let shown = 0;
  for (const [index, line] of lines.entries()) {
    if (line.startsWith("+++ ")) continue;
    const isFile = line.startsWith("--- ");
    if (isFile) files += 1;
    if (files > maxFiles || shown >= maxLines) {
      rows.push([{ text: `  … ${plural(lines.length - index, "more line")} of changes`, style: "dim" }]);
      break;
    }
    shown += 1;
    const text = isFile ? fileName(line, lines[index + 1] ?? "") : line.replaceAll("\t", "    ");
    rows.push([{ text: cutText(`  ${text}`, columns), style: styleFor(line) }]);
  }
  return rows;
}

function fileName(before: string, after: string): string {
  const name = after.startsWith("+++ ") && !after.includes("/dev/null") ? after.slice(4) : before.slice(4);
  return name.replace(/^[ab]\//, "").replace(/\t.*$/, "");
}

function styleFor(line: string): string {
  if (line.startsWith("--- ")) return "diff-file";
  if (line.startsWith("@@")) return "diff-hunk";
  if (line.startsWith("+")) return "diff-add";
  return line.startsWith("-") ? "diff-remove" : "dim";
}
