import {
  type ApprovalPrompt,
  type ApprovalRow,
  approvalRows,
  isShortened,
  longCommand,
  manyLines,
  type Prompt,
  type QuestionPrompt,
  remainingMs,
  type SecretPrompt,
} from "../state/prompts/prompt.ts";
import { boxBottom, boxTop } from "../text/box.ts";
import { cutText, type Line, type Span } from "../text/styled.ts";
import { wrapLine, wrapText } from "../text/wrap.ts";

export interface PromptLook {
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
  /** How many wait behind this one. */
  readonly waiting: number;
  /** A key that comes now counts; false for a moment after it appeared and after every other key. */
  readonly isListening: boolean;
}

const rowWords: Readonly<Record<ApprovalRow, { readonly label: string; readonly short: string }>> = {
  once: { label: "Allow once", short: "once" },
  folder: { label: "Allow in this folder", short: "folder" },
  session: { label: "Allow in this session", short: "session" },
  always: { label: "Always allow", short: "always" },
  deny: { label: "Deny", short: "no" },
  reason: { label: "Deny, and say why", short: "no, because" },
  view: { label: "Show all of it", short: "view" },
};
const letterOf: Readonly<Record<ApprovalRow, string>> = {
  once: "o",
  folder: "f",
  session: "s",
  always: "a",
  deny: "d",
  reason: "r",
  view: "v",
};
const narrow = 64;
/** With fewer rows, the command and one row of answers are all there is room for. */
const fewRows = 16;

export function approvalPromptRows(prompt: ApprovalPrompt, look: PromptLook): Line[] {
  const { columns, rows } = look;
  const isTiny = rows < fewRows;
  const command = commandRows(prompt, columns);
  const maxRows = isTiny ? Math.max(1, rows - 6) : Math.max(3, rows - 18);
  const hidden = command.length - maxRows;
  const more: Line[] = hidden > 0 ? [[{ text: `    … ${hidden} more rows`, style: "dim" }]] : [];
  const reasons = prompt.reasons.flatMap((reason) =>
    prompt.wording === undefined
      ? wrapLine([{ text: `  ⚠ ${reason}`, style: "warn" }], columns, { hang: [{ text: "    " }] })
      : wrapLine([{ text: `    ${reason}` }], columns, { hang: [{ text: "    " }] }),
  );
  const title = prompt.wording?.title ?? `⚠ ${prompt.tool} asks`;
  const head = [...command.slice(0, maxRows), ...more];
  const body = isTiny
    ? [...head, ...answersInOneRow(prompt, columns)]
    : [...head, ...reasons, ...answerRows(prompt, columns), ...hintRows(prompt, look)];
  return framed(prompt, look, { title, body });
}

/** The command, or of a long one the lines that matter, with their numbers. */
export function commandRows(prompt: ApprovalPrompt, columns: number): Line[] {
  const style = prompt.isDestructive ? "danger" : "bold";
  const indented = (rows: readonly Line[]): Line[] => rows.map((row): Line => [{ text: "    " }, ...row]);
  if (!isShortened(prompt)) return indented(wrapText(prompt.summary, columns - 4, style));
  const lines = prompt.summary.split("\n");
  const shown = (prompt.lines.length > 0 ? prompt.lines : lines.map((_, index) => index)).slice(0, manyLines);
  const rows = shown.map((index): Line => {
    const number = lines.length > 1 ? `${index + 1}`.padStart(4) : "   ";
    return [
      { text: `${number} `, style: "dim" },
      { text: cutText((lines[index] ?? "").slice(0, longCommand), Math.max(8, columns - 7)), style },
    ];
  });
  const left = lines.length - shown.length;
  const where = prompt.isViewed ? "shown above" : "v shows them";
  if (left > 0) rows.push([{ text: `     … ${left} more ${left === 1 ? "line" : "lines"} (${where})`, style: "dim" }]);
  return rows;
}

export function answerRows(prompt: ApprovalPrompt, columns: number): Line[] {
  return approvalRows(prompt).flatMap((row, index) => {
    const isSelected = index === prompt.selected;
    const scope = row === "reason" || row === "view" ? undefined : prompt.scopes[row];
    const label = `  ${isSelected ? "❯" : " "} ${letterOf[row]}  ${answerWords(prompt, row)}`;
    const lead: Span = { text: scope === undefined ? label : `${label}: `, style: isSelected ? "selected" : undefined };
    return wrapLine(scope === undefined ? [lead] : [lead, { text: scope, style: "dim" }], columns, {
      hang: [{ text: "       " }],
    });
  });
}

function answersInOneRow(prompt: ApprovalPrompt, columns: number): Line[] {
  const spans = approvalRows(prompt).map((row, index): Span => {
    const style = index === prompt.selected ? "selected" : undefined;
    return { text: `${index === 0 ? "" : " "}${letterOf[row]}:${rowWords[row].short}`, style };
  });
  return wrapLine(spans, columns);
}

function hintRows(prompt: ApprovalPrompt, look: PromptLook): Line[] {
  const style = prompt.note === undefined ? "dim" : "warn";
  return [[{ text: cutText(`  ${hintWords(prompt, look.isListening)}`, look.columns), style }]];
}

function hintWords(prompt: ApprovalPrompt, isListening: boolean): string {
  if (prompt.reason !== undefined) return "What should Hermes do instead? Enter sends it · Esc goes back";
  if (prompt.note === "too-early") return "Esc: no · typing never answers: choose, pause a moment, then press Enter";
  if (prompt.note === "choose") return "Esc: no · choose first: a letter, or ↑ ↓; then Enter";
  const chosen = approvalRows(prompt)[prompt.selected];
  if (!isListening && prompt.chosenBy !== "arrow") return "Esc: no";
  if (chosen === undefined) return "Esc: no · a letter, then Enter · ↑ ↓ and Enter";
  return `Esc: no · Enter: ${answerWords(prompt, chosen).toLowerCase()}`;
}

export function answerWords({ wording }: ApprovalPrompt, row: ApprovalRow): string {
  const own = row === "reason" || row === "view" ? undefined : wording?.answers[row];
  return own ?? rowWords[row].label;
}

export function questionPromptRows(prompt: QuestionPrompt, look: PromptLook): Line[] {
  const { columns } = look;
  const question = wrapText(prompt.question, columns - 4).map((row): Line => [{ text: "  " }, ...row]);
  const choices =
    prompt.choices.length === 0 || prompt.isFreeText
      ? []
      : questionChoices([...prompt.choices, "Other…"], prompt.selected, {
          columns,
          room: look.rows - question.length - rowsAround,
        });
  const keys = look.isListening ? " · a digit, or ↑ ↓ and Enter" : "";
  const hint: Line[] =
    choices.length === 0 ? [] : [[{ text: cutText(`  Esc: Hermes decides${keys}`, columns), style: "dim" }]];
  return framed(prompt, look, { title: "Hermes asks", body: [...question, ...choices, ...hint] });
}

/** Frame, status bar, input and a little of what was said before. */
const rowsAround = 10;

/** Whole, so that nobody chooses what cannot be read; cut to one row each where there is no room for that. */
function questionChoices(
  texts: readonly string[],
  selected: number,
  { columns, room }: { readonly columns: number; readonly room: number },
): Line[] {
  const numbered = texts.map((text, index) => `${index + 1}. ${text}`);
  const whole = numbered.flatMap((text, index) =>
    wrapLine(choiceRow(text, index === selected), columns - 2, { hang: [{ text: "       " }] }),
  );
  if (whole.length <= room) return whole;
  return numbered.map((text, index) => choiceRow(cutText(text, columns - 4), index === selected));
}

export function secretPromptRows(prompt: SecretPrompt, look: PromptLook): Line[] {
  const title = prompt.kind === "sudo" ? "🔒 Password for sudo" : `🔑 ${prompt.variable ?? "Secret"}`;
  const note =
    prompt.kind === "sudo"
      ? "Kept for this session only. Press Enter to skip."
      : "Stored in .env; neither the model nor the history sees it. Press Enter to skip.";
  const body = wrapText(prompt.prompt, look.columns - 4).map((row): Line => [{ text: "  " }, ...row]);
  const rows: Line[] = [...body, [{ text: cutText(`  ${note}`, look.columns), style: "dim" }]];
  return framed(prompt, look, { title, body: rows });
}

function choiceRow(text: string, isSelected: boolean): Line {
  return isSelected ? [{ text: `  ❯ ${text}`, style: "selected" }] : [{ text: `    ${text}` }];
}

/** A title with the time that is left; narrow terminals get no frame. */
function framed(prompt: Prompt, look: PromptLook, box: { title: string; body: readonly Line[] }): Line[] {
  const seconds = Math.ceil(remainingMs(prompt, look.nowMs) / 1_000);
  const waiting = look.waiting > 0 ? ` · ${look.waiting} more` : "";
  const label = `${box.title}${Number.isFinite(seconds) ? ` · ${seconds} s` : ""}${waiting}`;
  if (look.columns < narrow) return [[{ text: cutText(label, look.columns), style: "warn" }], ...box.body];
  return [boxTop(label, look.columns, "warn"), ...box.body, boxBottom(look.columns, "warn")];
}
