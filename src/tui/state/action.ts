import type { Message } from "#conversation";
import type { CommandView, Completion, SessionInfo, Submission, SurfaceAction } from "#session";
import type { Motion } from "../input/buffer.ts";
import type { TuiSettings } from "../settings.ts";
import type { VoiceState } from "./state.ts";
import type { DrawnView, TranscriptItem } from "./transcript-item.ts";

/** What a person did, or what became of something the application did for them. */
export type UserAction =
  | { readonly type: "insert"; readonly text: string }
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "newline" }
  | { readonly type: "move"; readonly motion: Motion }
  | { readonly type: "remove"; readonly motion: Motion }
  | { readonly type: "yank" }
  | { readonly type: "undo" }
  | { readonly type: "previous" }
  | { readonly type: "next" }
  | { readonly type: "enter" }
  | { readonly type: "tab" }
  | { readonly type: "back-tab" }
  | { readonly type: "escape" }
  | { readonly type: "cancel" }
  | { readonly type: "end-of-input" }
  | { readonly type: "edit-outside" }
  | { readonly type: "suspend" }
  | { readonly type: "clear" }
  | { readonly type: "paste-image" }
  | { readonly type: "record" }
  | { readonly type: "open-calls" }
  | { readonly type: "search-history" }
  | { readonly type: "open-commands" }
  | { readonly type: "interrupt" }
  | OutcomeAction;

/** Told by the application, not by keys. */
export type OutcomeAction =
  | { readonly type: "tick" }
  | { readonly type: "printed"; readonly count: number }
  | { readonly type: "effects-taken" }
  | { readonly type: "session-ready"; readonly info: SessionInfo; readonly history: readonly Message[] }
  | { readonly type: "submitted"; readonly text: string; readonly images: number; readonly submission: Submission }
  | { readonly type: "surface"; readonly action: SurfaceAction }
  | { readonly type: "show-view"; readonly view: DrawnView }
  | { readonly type: "commands"; readonly items: readonly Completion[] }
  | { readonly type: "open-picker"; readonly view: Extract<CommandView, { readonly kind: "picker" }> }
  | { readonly type: "show"; readonly item: TranscriptItem }
  | { readonly type: "say"; readonly level: "info" | "warn" | "error"; readonly text: string }
  | { readonly type: "completions"; readonly line: string; readonly items: readonly Completion[] }
  | { readonly type: "history-loaded"; readonly entries: readonly string[] }
  | { readonly type: "image-attached"; readonly path: string }
  | { readonly type: "draft-edited"; readonly text: string; readonly cursor?: number }
  | { readonly type: "unqueued"; readonly text: string }
  | { readonly type: "voice"; readonly voice: VoiceState | undefined }
  | { readonly type: "command-start"; readonly label: string; readonly isShell?: boolean }
  | { readonly type: "command-end" }
  | { readonly type: "settings"; readonly settings: Partial<TuiSettings> }
  | {
      readonly type: "facts";
      readonly branch?: string;
      readonly isConfigChanged?: boolean;
      readonly processes?: readonly string[];
    }
  | { readonly type: "leave"; readonly code: number };
