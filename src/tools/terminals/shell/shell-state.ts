import { isBlockedVariable, looksLikeCredential } from "../environment-variables.ts";
import { endMark, unreachableMark } from "./shell-script.ts";

/** What one shell reported when it ended. */
export type ShellReport =
  | {
      readonly kind: "complete";
      readonly cwd: string;
      readonly variables: ReadonlyMap<string, string>;
      /** Shell text that defines functions and aliases again. */
      readonly functions: string;
    }
  | { readonly kind: "unreachable" }
  | { readonly kind: "none" };

export function readReport(text: string): ShellReport {
  if (text === unreachableMark) return { kind: "unreachable" };
  if (!text.endsWith(`\0${endMark}`)) return { kind: "none" };
  const parts = text.split("\0");
  const [printed, ...rest] = parts;
  // As `pwd` says it, with one line break.
  const cwd = printed?.replace(/\n$/, "");
  const end = rest.indexOf("");
  if (cwd === undefined || !cwd.startsWith("/") || end < 0) return { kind: "none" };
  const variables = new Map<string, string>();
  for (const entry of rest.slice(0, end)) {
    const equals = entry.indexOf("=");
    if (equals > 0) variables.set(entry.slice(0, equals), entry.slice(equals + 1));
  }
  const [functions = "", aliases = ""] = rest.slice(end + 1);
  return { kind: "complete", cwd, variables, functions: [functions, aliases].filter((part) => part !== "").join("\n") };
}

/** Set anew by every shell, or about one shell only. */
const ownOfTheShell = /^(?:_|SHLVL|PWD|BASH_EXECUTION_STRING|BASHOPTS|SHELLOPTS)$/;
/** The kernel refuses longer strings; one of them would make every later command fail to start. */
const longestVariable = 100_000;

/**
 * What lives on between the commands of a terminal. Commands may overlap: each one's changes are
 * found against what it started with, so the last writer wins per variable and not for the whole.
 */
export class ShellState {
  readonly #blocked: readonly string[];
  #variables: ReadonlyMap<string, string>;
  cwd: string;
  functions = "";

  constructor(start: {
    readonly cwd: string;
    readonly variables: Readonly<Record<string, string>>;
    readonly blocked?: readonly string[];
  }) {
    this.cwd = start.cwd;
    this.#variables = new Map(Object.entries(start.variables));
    this.#blocked = start.blocked ?? [];
  }

  /** Variables for those that have no value yet. */
  offer(variables: Readonly<Record<string, string>>): void {
    const missing = Object.entries(variables).filter(([name]) => !this.#variables.has(name));
    if (missing.length > 0) this.#variables = new Map([...this.#variables, ...missing]);
  }

  /** The variables as they are now; the returned map does not change later. */
  get variables(): ReadonlyMap<string, string> {
    return this.#variables;
  }

  /** After the person's own start files: what they set for the person is not for programs of the model. */
  dropCredentials(passthrough: readonly string[]): void {
    const kept = [...this.#variables].filter(
      ([name, value]) => passthrough.includes(name) || !looksLikeCredential(name, value),
    );
    this.#variables = new Map(kept);
  }

  merge(
    report: ShellReport,
    before: { readonly variables: ReadonlyMap<string, string>; readonly functions: string },
  ): void {
    if (report.kind !== "complete") return;
    this.cwd = report.cwd;
    const merged = new Map(this.#variables);
    for (const [name, value] of report.variables) {
      if (before.variables.get(name) === value || !this.#isKept(name, value)) continue;
      merged.set(name, value);
    }
    for (const name of before.variables.keys()) {
      // A shell does not list names it cannot have made; they are not gone because of that.
      if (!report.variables.has(name) && /^[A-Za-z_]\w*$/.test(name) && !ownOfTheShell.test(name)) merged.delete(name);
    }
    this.#variables = merged;
    if (report.functions !== before.functions) this.functions = report.functions;
  }

  #isKept(name: string, value: string): boolean {
    if (ownOfTheShell.test(name) || name.startsWith("__hermes_")) return false;
    return value.length + name.length <= longestVariable && !isBlockedVariable(name, this.#blocked);
  }
}
