/** A JSON Schema document; only ever passed through, so its inside is not typed here. */
export type JsonSchema = { readonly [key: string]: unknown };

/** What a model is shown of a tool. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments: an object schema. */
  readonly parameters: JsonSchema;
}

export type ToolChoice = "auto" | "none" | "required" | { readonly name: string };

/** Facts about what a call did, for programs; the model reads the result's text. */
export type ToolDetails =
  | CommandDetails
  | FileDetails
  | { readonly kind: "todos"; readonly todos: readonly TodoItem[] }
  | NoteDetails
  | { readonly kind: "skill"; readonly name: string; readonly action: string; readonly message: string }
  /** It was not run: the call could not be read, or a rule, a plan or a hook forbids it. */
  | { readonly kind: "refused" }
  | { readonly kind: "children"; readonly children: readonly { readonly id: string; readonly status: string }[] };

/** A command ran, or was to. */
export interface CommandDetails {
  readonly kind: "command";
  /** Absent while it still runs, and when it was refused. */
  readonly exitCode?: number | undefined;
  /** Of a process that goes on in the background. */
  readonly processId?: string | undefined;
  /** True: it was not started. */
  readonly isRefused?: boolean | undefined;
}

/** Files were looked at or changed; paths as the model named them, absolute where it named none. */
export interface FileDetails {
  readonly kind: "files";
  readonly read?: readonly string[] | undefined;
  readonly changed?: readonly string[] | undefined;
}

/** The notes were to change. */
export interface NoteDetails {
  readonly kind: "notes";
  readonly target: string;
  readonly outcome: "saved" | "unchanged" | "waiting" | "full" | "refused";
}

/** Where a task of the list stands. */
export type TodoStatus = "pending" | "in_progress" | "completed" | "cancelled";

/** A task of the list. */
export interface TodoItem {
  readonly id: string;
  readonly content: string;
  readonly status: TodoStatus;
}
