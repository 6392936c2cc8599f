import type { ApprovalAnswer, SessionId } from "#conversation";

/** Something the reducer wants done outside; the application does it and tells the outcome as an action. */
export type Effect = SessionEffect | OutsideEffect;

/** For the session, and for the UI itself. */
type SessionEffect =
  | { readonly do: "submit"; readonly text: string; readonly images: readonly string[]; readonly isTyped: boolean }
  | { readonly do: "remember"; readonly text: string }
  | { readonly do: "approve"; readonly id: string; readonly answer: ApprovalAnswer }
  | { readonly do: "answer"; readonly id: string; readonly text: string | undefined }
  | { readonly do: "interrupt" }
  | { readonly do: "unqueue"; readonly index: number }
  | { readonly do: "unqueue-all" }
  | { readonly do: "list-commands" }
  | { readonly do: "hint-seen"; readonly hint: string }
  | { readonly do: "voice"; readonly act: "toggle" | "cancel" }
  | { readonly do: "exit"; readonly code: number };

/** For files, other programs and the terminal. */
export type OutsideEffect =
  | { readonly do: "save-paste"; readonly file: string; readonly text: string }
  | { readonly do: "inspect-drop"; readonly text: string }
  | { readonly do: "paste-image" }
  | { readonly do: "attach-image"; readonly path: string }
  | { readonly do: "open-editor"; readonly text: string }
  | { readonly do: "suspend" }
  | { readonly do: "clear-screen" }
  | { readonly do: "run-shell"; readonly command: string }
  | { readonly do: "stop-shell" }
  | { readonly do: "copy"; readonly text: string }
  | { readonly do: "set-skin"; readonly name: string }
  | { readonly do: "switch-session"; readonly id: SessionId }
  | { readonly do: "connect" }
  | { readonly do: "bell" }
  | { readonly do: "notify"; readonly text: string };
