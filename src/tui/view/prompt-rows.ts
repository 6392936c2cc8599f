import {
  type ApprovalPrompt,
  approvalRows,
  longCommand,
  type Prompt,
  type QuestionPrompt,
  remainingMs,
  type SecretPrompt,
} from "../state/prompt.ts";
import { boxBottom, boxTop } from "./box.ts";
import { cutText, type Line } from "./styled.ts";
import { wrapLine, wrapText } from "./wrap.ts";

export interface PromptLook {
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
  /** How many wait behind this one. */
  readonly waiting: number;
}

const choiceWords = {
  once: "Allow once",
  session: "Allow for this session",
  always: "Always allow (saved)",
  deny: "Deny",
  view: "View the whole command",
} as const;
const narrow = 64;

export function approvalPromptRows(prompt: ApprovalPrompt, look: PromptLook): Line[] {
  const { columns } = look;
  const isLong = prompt.summary.length > longCommand;
  const shown = isLong && !prompt.isViewed ? `${prompt.summary.slice(0, longCommand)}…` : prompt.summary;
  const maxRows = Math.max(3, look.rows - 14);
  const command = wrapText(shown, columns - 4, prompt.isDestructive ? "danger" : "bold");
  const hidden = command.length - maxRows;
  const body = command.slice(0, maxRows).map((row): Line => [{ text: "    " }, ...row]);
  const more: Line[] = hidden > 0 ? [[{ text: `    … ${hidden} more rows`, style: "dim" }]] : [];
  const reasons = prompt.reasons.flatMap((reason) =>
    wrapLine([{ text: `  ⚠ ${reason}`, style: "warn" }], columns, { hang: [{ text: "    " }] }),
  );
  const choices = approvalRows(prompt).map((choice, index): Line => {
    const letter = choice[0] ?? "";
    return choiceRow(`${index + 1}. ${choiceWords[choice]} (${letter})`, index === prompt.selected);
  });
  const title = `${prompt.isDestructive ? "⚠ Destructive" : "⚠ Approval"}: ${prompt.tool}`;
  return framed(prompt, look, { title, body: [...body, ...more, ...reasons, ...choices] });
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
  return framed(prompt, look, { title: "Hermes asks", body: [...question, ...choices] });
}

/** Frame, status bar, input and a little of what was said before. */
const rowsAround = 9;

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
      ? "Kept for this session only. Enter alone skips."
      : "Stored in .env; neither the model nor the history sees it. Enter alone skips.";
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
  const label = `${box.title} · ${seconds} s${waiting}`;
  if (look.columns < narrow) return [[{ text: cutText(label, look.columns), style: "warn" }], ...box.body];
  return [boxTop(label, look.columns, "warn"), ...box.body, boxBottom(look.columns, "warn")];
}
