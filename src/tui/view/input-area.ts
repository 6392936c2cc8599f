import { graphemes } from "#foundation/text/text";
import { activeBuffer, ghostText } from "../state/editing/editing.ts";
import { isMasked, placeholder } from "../state/select.ts";
import type { ViewState } from "../state/state.ts";
import type { Line, Span } from "../text/styled.ts";
import { displayWidth } from "../text/width.ts";
import type { Skin } from "../theme/skin.ts";

const maxRows = 8;

/** The text a person is writing, with the cursor in it; at most eight rows, scrolled to the cursor. */
export function inputRows(state: ViewState, skin: Skin, columns: number): Line[] {
  const buffer = activeBuffer(state);
  const symbol = state.voice?.mode === "recording" ? meter(state.voice.level) : skin.branding.promptSymbol;
  const { profile } = state.settings;
  const mode = state.settings.isVim && state.editor.vim.isNormal && state.prompts.length === 0 ? "NORMAL " : "";
  const lead = `${mode}${profile === undefined ? "" : `${profile} `}${symbol} `;
  const width = Math.max(4, columns - displayWidth(lead) - 1);
  const text = isMasked(state) ? { text: "•".repeat(graphemes(buffer.text).length), cursor: 0 } : buffer;
  const cursor = isMasked(state) ? text.text.length : text.cursor;
  const rows = fold(text.text, cursor, width);
  const decorated = decorate(rows.lines, state, buffer.text);
  const from = Math.max(0, Math.min(rows.cursorRow - maxRows + 1, decorated.length - maxRows));
  const indent = " ".repeat(displayWidth(lead));
  return decorated
    .map((row, index): Line => [index === 0 ? { text: lead, style: "prompt" } : { text: indent }, ...row])
    .slice(from, from + maxRows);
}

function decorate(lines: readonly Line[], state: ViewState, text: string): Line[] {
  const last = lines.length - 1;
  const hint = text === "" ? placeholder(state) : ghostText(state);
  if (hint === "") return [...lines];
  const style = text === "" ? "placeholder" : "ghost";
  return lines.map((line, index) => (index === last ? [...line, { text: hint, style }] : line));
}

interface Folded {
  readonly lines: readonly Line[];
  readonly cursorRow: number;
}

/** Breaks text at the width, character by character, so that the cursor's place is certain. */
function fold(text: string, cursor: number, width: number): Folded {
  const lines: Span[][] = [[]];
  let cursorRow = 0;
  let row = "";
  let used = 0;
  const mark: Span = { text: "", isCursor: true };
  const close = (): void => {
    if (row !== "") lines.at(-1)?.push({ text: row });
    row = "";
  };
  const breakRow = (): void => {
    close();
    lines.push([]);
    used = 0;
  };
  const location = (): void => {
    close();
    lines.at(-1)?.push(mark);
    cursorRow = lines.length - 1;
  };
  let index = 0;
  for (const grapheme of graphemes(text)) {
    const columns = displayWidth(grapheme);
    if (grapheme !== "\n" && used + columns > width) breakRow();
    if (index === cursor) location();
    if (grapheme === "\n") breakRow();
    else if (grapheme === "\t") {
      row += "  ";
      used += 2;
    } else {
      row += grapheme;
      used += columns;
    }
    index += grapheme.length;
  }
  if (cursor >= index) {
    if (used >= width) breakRow();
    location();
  }
  close();
  return { lines, cursorRow };
}

const meterCells = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

function meter(level: number): string {
  const cell = meterCells[Math.min(meterCells.length - 1, Math.max(0, Math.floor(level * meterCells.length)))];
  return `● ${cell ?? "▁"}`;
}
