import type { ToolDetails } from "#conversation";
import { isRecord, parseJson } from "#foundation/text/json";
import { toolDetails } from "./tool-details.ts";

/** One row of the tool feed, before it is fitted to a width. */
export interface ToolLine {
  readonly emoji: string;
  readonly verb: string;
  readonly detail: string;
  /** Paths are cut from the left. */
  readonly cutFrom: "left" | "right";
  readonly durationMs: number;
  /** ` [exit 2]`, ` [in the background]`, ` [not run]`, ` [error]`, ` [full]` or empty. */
  readonly mark: string;
  readonly isError: boolean;
}

/** What is known of a call: when it starts, or when it has ended. */
export interface ToolFacts {
  readonly name: string;
  readonly args: unknown;
  readonly preview: string;
  readonly durationMs: number;
  readonly isError: boolean;
  readonly details?: ToolDetails | undefined;
  /** What the model reads, once it has ended. */
  readonly result?: string | undefined;
}

/** Emojis by tool: the person's skin decides first, then whoever registered the tool. */
export type Emojis = Readonly<Record<string, string>>;

export function mergeEmojis(ofSkin: Emojis, ofTools: Emojis): Emojis {
  return { ...ofTools, ...ofSkin };
}

export function toolLine(facts: ToolFacts, emojis: Emojis): ToolLine {
  const args = isRecord(facts.args) ? facts.args : {};
  const look = toolDetails(facts.name, args);
  return {
    emoji: (Object.hasOwn(emojis, facts.name) ? emojis[facts.name] : undefined) ?? look.emoji,
    verb: look.verb,
    detail: oneRow(`${look.detail}${answerOf(facts)}`),
    cutFrom: look.isPath === true ? "left" : "right",
    durationMs: isPersonsTime(facts) ? 0 : facts.durationMs,
    mark: markOf(facts),
    isError: facts.isError,
  };
}

/** The time went by waiting for the person: it says nothing about the call. */
function isPersonsTime({ name, details }: ToolFacts): boolean {
  return name === "clarify" || isRefused(details);
}

function isRefused(details: ToolDetails | undefined): boolean {
  return details?.kind === "refused" || (details?.kind === "command" && details.isRefused === true);
}

function markOf({ details, isError }: ToolFacts): string {
  if (isRefused(details)) return " [not run]";
  if (details?.kind === "command") {
    if (details.processId !== undefined && details.exitCode === undefined) return " [in the background]";
    if ((details.exitCode ?? 0) !== 0) return ` [exit ${details.exitCode}]`;
  }
  if (!isError) return "";
  return details?.kind === "notes" && details.outcome === "full" ? " [full]" : " [error]";
}

/** What the person answered to a question of the model. */
function answerOf({ name, result }: ToolFacts): string {
  if (name !== "clarify" || result === undefined) return "";
  const parsed = parseJson(result);
  const answer = parsed.ok && isRecord(parsed.value) ? parsed.value["user_response"] : undefined;
  return typeof answer === "string" ? ` → ${answer}` : "";
}

function oneRow(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, 2_000);
}
