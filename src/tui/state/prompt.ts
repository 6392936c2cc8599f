import type { ApprovalChoice } from "#conversation";
import { emptyBuffer, type TextBuffer } from "../input/buffer.ts";
import type { TuiSettings } from "../settings.ts";

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
        readonly isDestructive: boolean;
        /** -1: nothing is chosen yet. */
        readonly selected: number;
        readonly isViewed: boolean;
      }
    | {
        readonly kind: "question";
        readonly question: string;
        readonly choices: readonly string[];
        readonly selected: number;
        readonly isFreeText: boolean;
        readonly buffer: TextBuffer;
      }
    | {
        readonly kind: "sudo" | "secret";
        readonly prompt: string;
        readonly variable: string | undefined;
        readonly buffer: TextBuffer;
      }
  );

export type ApprovalPrompt = Extract<Prompt, { readonly kind: "approval" }>;
export type QuestionPrompt = Extract<Prompt, { readonly kind: "question" }>;
export type SecretPrompt = Extract<Prompt, { readonly kind: "sudo" | "secret" }>;

/** Longer commands are shown in part, with a choice to view all of it. */
export const longCommand = 70;

export function newApproval(
  event: Omit<ApprovalPrompt, "kind" | "selected" | "isViewed" | "shownAtMs" | "timeoutMs">,
  settings: TuiSettings,
): Prompt {
  const { id, tool, summary, reasons, isDestructive } = event;
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
    isDestructive,
    // A destructive command has no answer under the cursor: Enter alone must not run it.
    selected: isDestructive ? -1 : 0,
    isViewed: false,
    shownAtMs: undefined,
    timeoutMs: settings.approvalTimeoutMs,
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
    isFreeText: event.choices.length === 0,
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
    buffer: emptyBuffer,
    shownAtMs: undefined,
    timeoutMs: event.what === "sudo" ? settings.sudoTimeoutMs : settings.secretTimeoutMs,
  };
}

/** The rows of an approval, in order: the choices, and `view` for a long command. */
export function approvalRows(prompt: ApprovalPrompt): readonly (ApprovalChoice | "view")[] {
  const canView = prompt.summary.length > longCommand && !prompt.isViewed;
  return canView ? [...prompt.choices, "view"] : prompt.choices;
}

/** The text field on the screen belongs to the prompt, so the person's draft is out of its reach. */
export function promptBuffer(prompt: Prompt | undefined): TextBuffer | undefined {
  if (prompt === undefined || prompt.kind === "approval") return undefined;
  if (prompt.kind === "question" && !prompt.isFreeText) return undefined;
  return prompt.buffer;
}

export function remainingMs(prompt: Prompt, nowMs: number): number {
  return prompt.shownAtMs === undefined ? prompt.timeoutMs : Math.max(0, prompt.shownAtMs + prompt.timeoutMs - nowMs);
}
