import type { ApprovalChoice, ApprovalScopes, ApprovalWording } from "#conversation";
import { emptyBuffer, type TextBuffer } from "../../input/buffer.ts";
import type { TuiSettings } from "../../settings.ts";
import type { Line } from "../../text/styled.ts";

interface PromptBase {
  readonly id: string;
  /** When it came to the front; undefined while another one is answered. */
  readonly shownAtMs: number | undefined;
  readonly timeoutMs: number;
}

/** Something a person has to answer. Several wait in line; the first is on the screen. */
export type Prompt = PromptBase &
  (
    | {
        readonly kind: "approval";
        readonly tool: string;
        readonly summary: string;
        readonly reasons: readonly string[];
        readonly choices: readonly ApprovalChoice[];
        readonly scopes: ApprovalScopes;
        /** Lines of the summary the reasons are about. */
        readonly lines: readonly number[];
        readonly isDestructive: boolean;
        /** The program itself asks, and waits. */
        readonly wording: ApprovalWording | undefined;
        /** -1: nothing is chosen yet; no answer is ever under Enter from the beginning. */
        readonly selected: number;
        readonly chosenBy: "letter" | "arrow" | undefined;
        /** The letter that chose; it belongs to the draft when more text follows. */
        readonly pressed: string;
        readonly note: "too-early" | "choose" | undefined;
        /** All of it stands above. */
        readonly isViewed: boolean;
        /** Why not, while it is being written. */
        readonly reason: TextBuffer | undefined;
      }
    | {
        readonly kind: "question";
        readonly question: string;
        readonly choices: readonly string[];
        readonly selected: number;
        /** An arrow was used: Enter is meant. */
        readonly isMoved: boolean;
        readonly isFreeText: boolean;
        readonly hasFocus: boolean;
        readonly buffer: TextBuffer;
      }
    | {
        readonly kind: "sudo" | "secret";
        readonly prompt: string;
        readonly variable: string | undefined;
        /** What is typed goes here; not yet while a person is in the middle of typing something else. */
        readonly hasFocus: boolean;
        readonly buffer: TextBuffer;
      }
  );

export type ApprovalPrompt = Extract<Prompt, { readonly kind: "approval" }>;
export type QuestionPrompt = Extract<Prompt, { readonly kind: "question" }>;
export type SecretPrompt = Extract<Prompt, { readonly kind: "sudo" | "secret" }>;

/** Longer commands are shown in part, with a choice to view all of it. */
export const longCommand = 200;
/** So are those with more lines. */
export const manyLines = 6;

/** A row of an approval: an answer, a no with its reason, or a look at the whole command. */
export type ApprovalRow = ApprovalChoice | "reason" | "view";

type ApprovalFacts = Pick<ApprovalPrompt, "id" | "tool" | "summary" | "reasons" | "choices" | "isDestructive"> & {
  readonly scopes?: ApprovalScopes | undefined;
  readonly lines?: readonly number[] | undefined;
  readonly wording?: ApprovalWording | undefined;
};

export function newApproval(event: ApprovalFacts, settings: TuiSettings): Prompt {
  const { id, tool, summary, reasons, isDestructive, wording } = event;
  const choices: readonly ApprovalChoice[] = event.choices.includes("deny")
    ? event.choices
    : [...event.choices, "deny"];
  return {
    kind: "approval",
    id,
    tool,
    summary,
    reasons,
    choices,
    scopes: event.scopes ?? {},
    lines: event.lines ?? [],
    isDestructive,
    wording,
    selected: -1,
    chosenBy: undefined,
    pressed: "",
    note: undefined,
    isViewed: false,
    reason: undefined,
    shownAtMs: undefined,
    timeoutMs: wording === undefined ? settings.approvalTimeoutMs : Number.POSITIVE_INFINITY,
  };
}

export function newQuestion(
  event: { readonly id: string; readonly question: string; readonly choices: readonly string[] },
  settings: TuiSettings,
): Prompt {
  return {
    kind: "question",
    ...event,
    selected: 0,
    isMoved: false,
    isFreeText: event.choices.length === 0,
    hasFocus: false,
    buffer: emptyBuffer,
    shownAtMs: undefined,
    timeoutMs: settings.clarifyTimeoutMs,
  };
}

export function newSecret(
  event: { readonly id: string; readonly what: "sudo" | "secret"; readonly prompt: string; readonly variable?: string },
  settings: TuiSettings,
): Prompt {
  return {
    kind: event.what,
    id: event.id,
    prompt: event.prompt,
    variable: event.variable,
    hasFocus: false,
    buffer: emptyBuffer,
    shownAtMs: undefined,
    timeoutMs: event.what === "sudo" ? settings.sudoTimeoutMs : settings.secretTimeoutMs,
  };
}

/** The rows of an approval, in order: the answers, a no with words, and `view` for a long command. */
export function approvalRows(prompt: ApprovalPrompt): readonly ApprovalRow[] {
  const rows: readonly ApprovalRow[] = prompt.wording === undefined ? [...prompt.choices, "reason"] : prompt.choices;
  return isShortened(prompt) && !prompt.isViewed ? [...rows, "view"] : rows;
}

export function isShortened({ summary }: ApprovalPrompt): boolean {
  return summary.length > longCommand || summary.split("\n").length > manyLines;
}

/** All of a command, each line with its number; those the reasons are about stand out. */
export function wholeCommand({ summary, lines }: ApprovalPrompt): readonly Line[] {
  const written = summary.split("\n");
  const digits = String(written.length).length;
  return written.map((text, index): Line => {
    const number = written.length === 1 ? "" : `${String(index + 1).padStart(digits)} `;
    return [
      { text: `    ${number}`, style: "dim" },
      { text, style: lines.includes(index) ? "danger" : undefined },
    ];
  });
}

/** The text field on the screen belongs to the prompt, so the person's draft is out of its reach. */
export function promptBuffer(prompt: Prompt | undefined): TextBuffer | undefined {
  switch (prompt?.kind) {
    case undefined:
      return undefined;
    case "approval":
      return prompt.reason;
    case "question":
      return prompt.isFreeText && prompt.hasFocus ? prompt.buffer : undefined;
    case "sudo":
    case "secret":
      return prompt.hasFocus ? prompt.buffer : undefined;
  }
}

/** The same prompt with another text in its field. */
export function withBuffer(prompt: Prompt, buffer: TextBuffer): Prompt {
  return prompt.kind === "approval" ? { ...prompt, reason: buffer } : { ...prompt, buffer };
}

export function remainingMs(prompt: Prompt, nowMs: number): number {
  return prompt.shownAtMs === undefined ? prompt.timeoutMs : Math.max(0, prompt.shownAtMs + prompt.timeoutMs - nowMs);
}
