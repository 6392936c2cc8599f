import { type ListState, shownItems } from "../state/picking.ts";
import { type ApprovalPrompt, approvalRows, type Prompt, type QuestionPrompt } from "../state/prompts/prompt.ts";
import type { Line } from "../text/styled.ts";
import { wrapLine, wrapText } from "../text/wrap.ts";
import { answerRows, answerWords, commandRows } from "./prompt-rows.ts";

/** What is asked, for a terminal that only prints; when it was printed before, only what became of it. */
export function plainPromptRows(prompt: Prompt, columns: number, isNew: boolean): Line[] {
  if (prompt.kind === "approval") return approvalText(prompt, columns, isNew);
  return prompt.kind === "question" && isNew ? questionText(prompt, columns) : [];
}

function approvalText(prompt: ApprovalPrompt, columns: number, isNew: boolean): Line[] {
  const hint: Line = [{ text: `  ${hintOf(prompt)}` }];
  if (!isNew) return [hint];
  const reasons = prompt.reasons.flatMap((reason) => wrapLine([{ text: `  ⚠ ${reason}` }], columns));
  return [
    [{ text: prompt.wording?.title ?? `⚠ ${prompt.tool} asks (${prompt.timeoutMs / 1_000} s, then: no)` }],
    ...commandRows(prompt, columns),
    ...reasons,
    ...answerRows({ ...prompt, selected: -1 }, columns),
    hint,
  ];
}

function hintOf(prompt: ApprovalPrompt): string {
  if (prompt.reason !== undefined) return "What should Hermes do instead? One line.";
  if (prompt.note === "too-early")
    return "Typing never answers: choose, pause a moment, then press Enter on an empty line.";
  const chosen = approvalRows(prompt)[prompt.selected];
  if (chosen !== undefined) return `${answerWords(prompt, chosen)}? An empty line says yes; no says no.`;
  return "Type a letter and Enter, then Enter again. Or: no";
}

function questionText({ question, choices }: QuestionPrompt, columns: number): Line[] {
  const numbered = choices.flatMap((choice, index) =>
    wrapLine([{ text: `    ${index + 1}. ${choice}` }], columns, { hang: [{ text: "       " }] }),
  );
  const hint = choices.length === 0 ? "One line." : "Type a number, or your own answer.";
  return [
    [{ text: "Hermes asks" }],
    ...wrapText(question, columns - 4).map((row): Line => [{ text: "  " }, ...row]),
    ...numbered,
    [{ text: `  ${hint} An empty line: Hermes decides.` }],
  ];
}

/** More would scroll away what is asked. */
const maxListed = 40;

export function plainPickerRows(list: ListState, columns: number): Line[] {
  const items = shownItems(list);
  const rows = items.slice(0, maxListed).flatMap(({ label, detail, isCurrent }, index) => {
    const text = `${String(index + 1).padStart(4)}. ${label}${isCurrent === true ? " (now)" : ""}  ${detail}`;
    return wrapLine([{ text }], columns, { hang: [{ text: "      " }] });
  });
  const more = items.length - maxListed;
  return [
    [{ text: list.query === "" ? list.title : `${list.title}: ${list.query}` }],
    ...rows,
    ...(more > 0 ? [[{ text: `      and ${more} more` }]] : []),
    [{ text: "  Type a number, words to search for, or nothing to cancel." }],
  ];
}
