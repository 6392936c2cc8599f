import type { Message, NoticeLevel } from "#conversation";
import type { CommandView, SessionInfo } from "#session";
import type { Line } from "../text/styled.ts";
import type { AnswerChunk } from "./output/markdown-stream.ts";
import type { ToolLine } from "./output/tool-line.ts";

/** Something finished that is written to the scrollback once. */
export type TranscriptItem =
  | { readonly kind: "banner"; readonly info: SessionInfo | undefined }
  | { readonly kind: "user"; readonly text: string; readonly images: number }
  | AnswerStart
  | { readonly kind: "answer"; readonly chunk: AnswerChunk }
  | { readonly kind: "answer-end" }
  | { readonly kind: "reasoning-start" }
  | { readonly kind: "reasoning"; readonly lines: readonly string[] }
  | { readonly kind: "reasoning-end"; readonly hiddenLines: number }
  | { readonly kind: "reasoning-note"; readonly lineCount: number; readonly durationMs: number }
  | { readonly kind: "tool"; readonly line: ToolLine; readonly full?: ToolFull; readonly from?: string }
  | { readonly kind: "tool-summary"; readonly names: readonly string[] }
  | { readonly kind: "diff"; readonly diff: string }
  | { readonly kind: "notice"; readonly level: NoticeLevel; readonly text: string }
  | { readonly kind: "activity"; readonly text: string }
  | { readonly kind: "hint"; readonly text: string }
  | { readonly kind: "view"; readonly view: DrawnView }
  | { readonly kind: "panel"; readonly title: string; readonly text: string }
  | { readonly kind: "resume"; readonly history: readonly Message[]; readonly isMinimal: boolean }
  | { readonly kind: "lines"; readonly lines: readonly (string | Line)[] };

/** The first of a turn carries the name, and so does what goes on below something else that was shown meanwhile. */
export interface AnswerStart {
  readonly kind: "answer-start";
  readonly form: "first" | "next" | "again";
}

/** Views of commands that are drawn and done with. */
export type DrawnView = Extract<CommandView, { readonly kind: "text" | "markdown" | "table" }>;

/** What `verbose` shows below a tool's line. */
export interface ToolFull {
  readonly args: string;
  readonly result: string;
}
