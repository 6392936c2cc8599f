import type { UserAction } from "../state/action.ts";
import { shownItems } from "../state/picking.ts";
import { type ApprovalPrompt, approvalRows, type Prompt, type QuestionPrompt } from "../state/prompts/prompt.ts";
import type { PickerState, ViewState } from "../state/state.ts";
import { type Line, plainText } from "../text/styled.ts";
import { harmless } from "../view/paint/painted-line.ts";
import { plainPickerRows, plainPromptRows } from "../view/plain-prompt-rows.ts";

export interface PlainDialogDeps {
  readonly hasPerson: boolean;
  readonly columns: () => number;
  readonly state: () => ViewState;
  readonly step: (action: UserAction) => void;
  readonly write: (text: string) => void;
  /** Sends words once the turn is over. */
  readonly queue: (text: string) => void;
}

/**
 * Questions and lists on a terminal that cannot be drawn on: printed once, answered by whole lines.
 *
 * 1. The line of a letter chooses and an empty line decides; the reducer wants a pause before each, as it does of keys.
 * 2. Any other line answers nothing. It waits, and is queued when the question is answered.
 * 3. Nobody there means no: every question is refused as it comes.
 * 4. What is typed can be read here, so no password is asked for.
 */
export class PlainDialog {
  readonly #deps: PlainDialogDeps;
  #shown: Prompt | undefined;
  #listed: PickerState | undefined;
  #held: readonly string[] = [];

  constructor(deps: PlainDialogDeps) {
    this.#deps = deps;
  }

  /** Prints what has come to the front, or what became of it. */
  update(): void {
    const { prompts, picker } = this.#deps.state();
    const [prompt] = prompts;
    if (prompt !== undefined) this.#ask(prompt);
    else if (picker !== undefined) this.#list(picker);
    else this.#rest();
  }

  /** True: the line was meant for what is asked. */
  take(line: string): boolean {
    const { state, step } = this.#deps;
    const { prompts, picker } = state();
    const [prompt] = prompts;
    if (prompt === undefined && picker === undefined) return false;
    const text = line.trim();
    const keys = prompt === undefined ? pickerKeys(picker, text) : promptKeys(prompt, text);
    if (keys === undefined) this.#hold(text);
    for (const key of keys ?? []) step(key);
    if (prompt?.kind === "question" && state().prompts[0] === prompt)
      this.#say("That was too quick to count as an answer. Please type it again.");
    this.update();
    return true;
  }

  #ask(prompt: Prompt): void {
    const { hasPerson, step } = this.#deps;
    const isSecret = prompt.kind === "sudo" || prompt.kind === "secret";
    if (!hasPerson || isSecret) {
      if (hasPerson) this.#print([[{ text: "! Typing cannot be hidden here, so no password was sent." }]]);
      step(leave);
      this.update();
      return;
    }
    if (this.#shown === prompt) return;
    const isNew = this.#shown?.id !== prompt.id;
    this.#shown = prompt;
    this.#print(plainPromptRows(prompt, this.#deps.columns(), isNew));
    this.#deps.write("> ");
  }

  #list(picker: PickerState): void {
    if (this.#listed === picker) return;
    this.#listed = picker;
    this.#print(plainPickerRows(picker, this.#deps.columns()));
    this.#deps.write("> ");
  }

  #rest(): void {
    this.#shown = undefined;
    this.#listed = undefined;
    const held = this.#held;
    this.#held = [];
    for (const text of held) this.#deps.queue(text);
  }

  #hold(text: string): void {
    this.#held = [...this.#held, text];
    this.#say("That is not an answer; it will be sent once the question is answered.");
  }

  #say(text: string): void {
    this.#print([[{ text }]]);
    this.#deps.write("> ");
  }

  #print(rows: readonly Line[]): void {
    this.#deps.write(rows.map((row) => `${harmless(plainText(row)).trimEnd()}\n`).join(""));
  }
}

const enter: UserAction = { type: "enter" };
const leave: UserAction = { type: "escape" };
const typed = (text: string): UserAction => ({ type: "insert", text });

/** The keys a line stands for; undefined: it is no answer. */
function promptKeys(prompt: Prompt, text: string): readonly UserAction[] | undefined {
  switch (prompt.kind) {
    case "approval":
      return approvalKeys(prompt, text);
    case "question":
      return questionKeys(prompt, text);
    case "sudo":
    case "secret":
      return undefined;
  }
}

function approvalKeys(prompt: ApprovalPrompt, text: string): readonly UserAction[] | undefined {
  if (prompt.reason !== undefined) return [typed(text), enter];
  if (text === "") return [enter];
  if (/^no?$/i.test(text)) return [leave];
  const isLetter = text.length === 1 && approvalRows(prompt).some((row) => row.startsWith(text.toLowerCase()));
  return isLetter ? [typed(text)] : undefined;
}

function questionKeys({ choices, isFreeText }: QuestionPrompt, text: string): readonly UserAction[] {
  if (text === "") return [leave];
  if (isFreeText) return [typed(text), enter];
  const isChoice = /^[1-9]$/.test(text) && Number(text) <= choices.length;
  // Own words stand behind the last choice.
  return isChoice ? [typed(text)] : [typed(String(choices.length + 1)), typed(text), enter];
}

/** A number chooses, words narrow the list, an empty line leaves it. */
function pickerKeys(picker: PickerState | undefined, text: string): readonly UserAction[] {
  if (picker === undefined || text === "") return [leave];
  const count = shownItems(picker).length;
  const wanted = /^\d+$/.test(text) ? Number(text) : 0;
  if (wanted < 1 || wanted > count) return [typed(picker.query === "" ? text : ` ${text}`)];
  const steps = (wanted - 1 - picker.index + count) % count;
  return [...Array.from({ length: steps }, (): UserAction => ({ type: "next" })), enter];
}
