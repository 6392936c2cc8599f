export type ScriptLanguage = "python" | "javascript";

export interface ScriptOptions {
  /** `project`: in the directory of the session, with its Python. `strict`: in a folder of its own. */
  readonly mode: "project" | "strict";
  readonly timeoutMs: number;
  readonly maxToolCalls: number;
  readonly maxStdoutChars: number;
  readonly maxStderrChars: number;
}

export const defaultScriptOptions: ScriptOptions = {
  mode: "project",
  timeoutMs: 300_000,
  maxToolCalls: 50,
  maxStdoutChars: 50_000,
  maxStderrChars: 10_000,
};
