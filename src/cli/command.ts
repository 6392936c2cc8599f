import type { Readable, Writable } from "node:stream";

/** The streams and facts a command runs with; tests hand in their own. */
export interface CommandIo {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Ends with Ctrl-C, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal;
}

export type FlagValue = string | boolean | readonly string[] | undefined;

export interface Flag {
  /** Without dashes: `max-turns`. */
  readonly name: string;
  readonly short?: string;
  /** `switch` takes no value; `list` may be repeated and takes comma lists. */
  readonly kind: "switch" | "text" | "list" | "optional-text";
  /** For help: `<n>`. */
  readonly value?: string;
  readonly about: string;
  /** The words that may follow, for checks and completion. */
  readonly choices?: readonly string[];
  /** What completion asks for: names that exist only at run time. */
  readonly completes?: CompletionKind;
  readonly isHidden?: boolean;
}

export interface Argument {
  readonly name: string;
  readonly isOptional?: boolean;
  /** Takes all that is left. */
  readonly isRest?: boolean;
  readonly choices?: readonly string[];
  readonly completes?: CompletionKind;
}

export type CompletionKind =
  | "profile"
  | "provider"
  | "session"
  | "config-key"
  | "skill"
  | "plugin"
  | "mcp-server"
  | "log"
  | "file";

/** What was typed, taken apart. */
export interface Invocation {
  readonly flags: Readonly<Record<string, FlagValue>>;
  readonly args: readonly string[];
  readonly io: CommandIo;
  /** `--profile`, `--json`, `--no-color` and the other flags every command takes. */
  readonly global: GlobalFlags;
  /** The whole tree, for commands that name or start others. */
  readonly root: Command;
}

export interface GlobalFlags {
  readonly profile?: string;
  readonly isJson: boolean;
  readonly hasColor: boolean;
  readonly configFile?: string;
  /** `--ignore-user-config`: start from the defaults; `.env` still counts. */
  readonly ignoresUserConfig?: boolean;
  /** `--trust-folder`: the files of the folder count for this run. */
  readonly trustsFolder: boolean;
}

/**
 * One word of the command tree. Data: help, completion, checks and did-you-mean are derived. `run` is
 * imported when it is called, so that help costs nothing.
 */
export interface Command {
  readonly name: string;
  readonly about: string;
  readonly aliases?: readonly string[];
  readonly flags?: readonly Flag[];
  readonly args?: readonly Argument[];
  readonly examples?: readonly string[];
  readonly commands?: readonly Command[];
  /** Takes `--group.field value` for fields that only exist at run time. */
  readonly hasDottedFlags?: boolean;
  /** Needs a person at a terminal; the text names what works without one. */
  readonly interactiveOnly?: string;
  readonly isHidden?: boolean;
  /** Undefined for words that only group others. */
  run?(invocation: Invocation): Promise<number>;
}

/** What the shell is told. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  noProvider: 3,
  badConfig: 4,
  denied: 5,
  interrupted: 130,
} as const;

/** Another process has taken this one's place: for the shell that is 0, though a signal asked for it. */
export const replacedCode = 256;
