import type { SyntaxNode } from "unbash";

/** A variable's value: text, or the elements of an array in order. */
export type Value = string | readonly string[];

/** Where a script may stand after commands that could have failed, or that ran on one branch only. */
export type Folders = readonly (string | undefined)[];

const maxAlternatives = 6;
const maxFolders = 4;

/** Variables that a shell holds besides what the line sets. */
export type Environment = ReadonlyMap<string, readonly Value[]>;

/**
 * What a shell knows at one point of a script: every variable with all values it may have there. Branches are
 * read on copies that are joined afterwards, so that a value set on one of them is one among several.
 */
export class ShellState {
  #variables: Map<string, readonly Value[] | undefined>;
  #functions: Map<string, SyntaxNode>;
  #aliases: Map<string, readonly string[]>;
  /** Variables whose values turn to one case whenever they are set. */
  #cased: Map<string, "lower" | "upper">;
  /** Content of files that the line itself wrote, by absolute path. */
  readonly files: Map<string, string>;
  readonly #environment: Environment;
  /** `$1`, `$2`, …; undefined when nothing is known of them. */
  positional: readonly string[] | undefined;
  folders: Folders;
  /** The folders when the `cd` just read failed; undefined when the last command was none. */
  foldersIfFailed: Folders | undefined;
  /** `set -e`: a command that fails ends the script. */
  stopsOnFailure = false;
  /** Names declared `local` by the function being read, with what they were before. */
  locals: Map<string, readonly Value[] | undefined> | undefined;

  constructor(environment: Environment, folder: string | undefined) {
    this.#environment = environment;
    this.#variables = new Map();
    this.#functions = new Map();
    this.#aliases = new Map();
    this.#cased = new Map();
    this.files = new Map();
    this.positional = [];
    this.folders = [folder];
  }

  /** All values the variable may have; empty when it is unset for sure; undefined when nothing is known of it. */
  get(name: string): readonly Value[] | undefined {
    if (this.#variables.has(name)) return this.#variables.get(name) ?? undefined;
    return this.#environment.get(name);
  }

  /** Whether the line itself gave the variable a value or took it away. */
  isSetHere(name: string): boolean {
    return this.#variables.has(name);
  }

  set(name: string, values: readonly Value[] | undefined): void {
    const all = this.#inEitherCase(name, values);
    this.#variables.set(name, all === undefined || all.length > maxAlternatives ? undefined : all);
  }

  /** `declare -l`, `declare -u`: holds for all that is set from now on. */
  setCase(name: string, turnsTo: "lower" | "upper"): void {
    this.#cased.set(name, turnsTo);
  }

  /** As set and as turned: whether the case still holds, on every branch, is not kept. */
  #inEitherCase(name: string, values: readonly Value[] | undefined): readonly Value[] | undefined {
    const turnsTo = this.#cased.get(name);
    if (turnsTo === undefined || values === undefined || values.length === 0) return values;
    const turn = (text: string): string => (turnsTo === "lower" ? text.toLowerCase() : text.toUpperCase());
    const turned = values.map((value) => (typeof value === "string" ? turn(value) : value.map(turn)));
    return union(turned, values);
  }

  /** As if the line had never touched it. */
  forget(name: string): void {
    this.#variables.delete(name);
  }

  declareLocal(name: string): void {
    if (this.locals !== undefined && !this.locals.has(name)) this.locals.set(name, this.get(name));
  }

  /** A `cd` that nothing waited for may have failed. */
  settleFolders(): void {
    if (this.foldersIfFailed !== undefined && !this.stopsOnFailure)
      this.folders = joinFolders(this.folders, this.foldersIfFailed);
    this.foldersIfFailed = undefined;
  }

  names(prefix: string): readonly string[] {
    return [...this.#variables.keys()].filter((name) => name.startsWith(prefix)).sort();
  }

  functionNamed(name: string): SyntaxNode | undefined {
    return this.#functions.get(name);
  }

  define(name: string, body: SyntaxNode): void {
    this.#functions.set(name, body);
  }

  undefine(name: string): void {
    this.#functions.delete(name);
  }

  /** Everything the alias may stand for, newest first: which line is read before which is set is not known. */
  aliasNamed(name: string): readonly string[] {
    return this.#aliases.get(name) ?? [];
  }

  setAlias(name: string, body: string | undefined): void {
    if (body === undefined) this.#aliases.delete(name);
    else this.#aliases.set(name, [body, ...(this.#aliases.get(name) ?? []).filter((one) => one !== body)].slice(0, 4));
  }

  /** A copy for a subshell or a branch. Files written on a branch are seen everywhere. */
  fork(): ShellState {
    const copy = new ShellState(this.#environment, undefined);
    copy.#variables = new Map(this.#variables);
    copy.#functions = new Map(this.#functions);
    copy.#aliases = new Map(this.#aliases);
    copy.#cased = new Map(this.#cased);
    for (const [path, text] of this.files) copy.files.set(path, text);
    copy.positional = this.positional;
    copy.folders = this.folders;
    copy.stopsOnFailure = this.stopsOnFailure;
    copy.locals = this.locals;
    return copy;
  }

  /** Takes over another state entirely. */
  become(other: ShellState): void {
    this.#variables = new Map(other.#variables);
    this.#functions = new Map(other.#functions);
    this.#aliases = new Map(other.#aliases);
    this.#cased = new Map(other.#cased);
    for (const [path, text] of other.files) this.files.set(path, text);
    this.positional = other.positional;
    this.folders = other.folders;
    this.stopsOnFailure = other.stopsOnFailure;
  }

  /** Either this or the other may be the case from here on. */
  join(other: ShellState): void {
    for (const name of new Set([...this.#variables.keys(), ...other.#variables.keys()])) {
      this.set(name, union(this.get(name), other.get(name)));
    }
    for (const [name, body] of other.#functions) if (!this.#functions.has(name)) this.#functions.set(name, body);
    for (const [name, turnsTo] of other.#cased) this.#cased.set(name, turnsTo);
    for (const [name, bodies] of other.#aliases)
      this.#aliases.set(name, [...new Set([...(this.#aliases.get(name) ?? []), ...bodies])].slice(0, 4));
    for (const [path, text] of other.files) if (!this.files.has(path)) this.files.set(path, text);
    this.folders = joinFolders(this.folders, other.folders);
    if (JSON.stringify(this.positional) !== JSON.stringify(other.positional)) this.positional = undefined;
    this.stopsOnFailure &&= other.stopsOnFailure;
  }

  /** Whether both hold the same values; then reading a loop once more teaches nothing. */
  isLike(other: ShellState): boolean {
    if (this.#variables.size !== other.#variables.size || this.#cased.size !== other.#cased.size) return false;
    for (const [name, values] of this.#variables) {
      if (JSON.stringify(values ?? null) !== JSON.stringify(other.get(name) ?? null)) return false;
    }
    return String(this.folders) === String(other.folders);
  }
}

function union(left: readonly Value[] | undefined, right: readonly Value[] | undefined): readonly Value[] | undefined {
  if (left === undefined || right === undefined) return undefined;
  const found = new Map<string, Value>();
  for (const value of [...orEmpty(left), ...orEmpty(right)]) found.set(JSON.stringify(value), value);
  return [...found.values()];
}

/** Unset reads as empty almost everywhere. */
function orEmpty(values: readonly Value[]): readonly Value[] {
  return values.length === 0 ? [""] : values;
}

function joinFolders(left: Folders, right: Folders): Folders {
  const all = [...new Set([...left, ...right])];
  return all.length > maxFolders ? [undefined] : all;
}
