/** Something about the settings a person should know. Never holds the value of a secret. */
export interface ConfigWarning {
  readonly kind: ConfigWarningKind;
  /** An error means that something set by the person has no effect; a warning, that it works but should change. */
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly hint?: string | undefined;
  /** The setting it is about, in dotted form. */
  readonly key?: string | undefined;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

export type ConfigWarningKind =
  | "syntax"
  | "type"
  | "range"
  | "unknown-key"
  | "duplicate-key"
  | "structure"
  | "renamed"
  | "version"
  | "variable"
  | "secret-file"
  | "trust"
  | "unreadable";

/** One line for people: place, message, hint. */
export function formatWarning(warning: ConfigWarning): string {
  const column = warning.column === undefined ? "" : `:${warning.column}`;
  const line = warning.line === undefined ? "" : `:${warning.line}${column}`;
  const location = warning.file === undefined ? "" : `${warning.file}${line}: `;
  const hint = warning.hint === undefined ? "" : ` ${warning.hint}`;
  return `${location}${warning.message}${hint}`;
}
