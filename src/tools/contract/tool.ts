import type { JsonSchema, ToolDefinition } from "#conversation";
import type { ToolContext } from "./context.ts";
import type { ToolResult } from "./result.ts";
import type { SessionScope } from "./session-scope.ts";
import type { ReadArguments } from "./typed-arguments.ts";

/** Who brought a tool; a lower tier may not take a name from a higher one. */
export type ToolOrigin = "builtin" | "plugin" | "mcp";

/**
 * How calls of one reply may overlap. `serial`: not with anything (the default). `safe`: with
 * anything. `path`: with calls on other paths. `never`: its presence makes the whole reply sequential.
 */
export type Concurrency = "serial" | "safe" | "path" | "never";

/**
 * What a call may change. `none`: it only looks. `files`: files it names itself. `commands`: whatever a program can.
 * `elsewhere`: something, but nothing in the workspace (a page, a service, the agent's own state).
 */
export type Effects = "none" | "files" | "commands" | "elsewhere";

/** Code that a call runs. */
export interface RunningCode {
  /** What it is called in lists of snapshots. */
  readonly reason: string;
  /** Where it is a shell command. */
  readonly command?: string | undefined;
  /** Where it runs, when that is not the folder of the task; as the model wrote it. */
  readonly workdir?: string | undefined;
}

/** A result as it was stored. */
export interface EndedCall {
  readonly text: string;
  /** What the text says as an object; empty where it is none. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** `true`, or why the tool cannot be used here ("no key", "not on Windows"). */
export type Availability = true | { readonly reason: string };

export interface Tool {
  /** `^[a-zA-Z0-9_-]{1,64}$`, unique. */
  readonly name: string;
  readonly toolset: string;
  /** What the model reads. */
  readonly description: string;
  /** JSON Schema of the arguments: type `object`. */
  readonly parameters: JsonSchema;
  readonly emoji?: string | undefined;
  /**
   * Checks the arguments of a call and reads them as the schema says; what `defineTool` makes always has it. Absent
   * (tools of plugins and MCP servers): they are only gently corrected, and the tool judges them itself.
   */
  read?(args: Readonly<Record<string, unknown>>): ReadArguments;
  readonly origin?: ToolOrigin | undefined;
  readonly concurrency?: Concurrency | undefined;
  /** The absolute paths a call touches, for `concurrency: "path"`; resolved against the task's working directory. */
  pathsOf?(args: Readonly<Record<string, unknown>>, taskId: string): readonly string[];
  /** Absent (tools of plugins and servers): it may change anything. */
  readonly effects?: Effects | undefined;
  /** What a call would run, for tools whose effects are commands; undefined when it runs nothing. */
  runs?(args: Readonly<Record<string, unknown>>): RunningCode | undefined;
  /** True: a call may be made twice; false: after a crash it is not repeated silently. Absent: as its effects say. */
  readonly isIdempotent?: boolean | undefined;
  /** What a call is really a call of; it is asked about, watched and run as that tool. Undefined when it names none. */
  forwards?(
    args: Readonly<Record<string, unknown>>,
  ): { readonly tool: string; readonly args: Readonly<Record<string, unknown>> } | undefined;
  /** True: starts agents of its own; only so many calls of one reply run. */
  readonly isDelegation?: boolean | undefined;
  /** True: only the agent a person talks to has it, never a child. */
  readonly isForMainAgent?: boolean | undefined;
  /** True: it only puts a question to the person. */
  readonly isQuestion?: boolean | undefined;
  /** True: housekeeping of the agent itself; a reply that only does this is no step towards the answer. */
  readonly isHousekeeping?: boolean | undefined;
  /** True: a reply that only makes such calls costs no step, because each of them does the work of many. */
  readonly costsNoStep?: boolean | undefined;
  /** True: notices by itself when a call is repeated; a call of any other tool begins the count anew. */
  readonly countsRepeats?: boolean | undefined;
  /** What it shows or changes, of the things that outlive a session. */
  readonly serves?: "notes" | "skills" | undefined;
  /** True: what a call changes outlives the session. */
  readonly isLasting?: boolean | undefined;
  /** What the system prompt says about it beside its description. */
  readonly guidance?: string | undefined;
  /** What a call did, in one line that takes the place of its result when room is needed; absent: a general one. */
  shorten?(args: Readonly<Record<string, unknown>>, ended: EndedCall): string;
  /** Environment variables to name in listings; they never gate by themselves. */
  readonly requiresEnv?: readonly string[] | undefined;
  /** Longer results go to a file; `Infinity` never. */
  readonly maxResultChars?: number | undefined;
  /** Asked at most once per listing for each distinct function; throwing means unavailable. */
  readonly check?: ((signal: AbortSignal) => Promise<Availability> | Availability) | undefined;
  /** What depends on the session: its model, its kind of terminal. Asked for every listing, after `check`. */
  readonly checkFor?: ((scope: SessionScope, signal: AbortSignal) => Promise<Availability> | Availability) | undefined;
  /** The definition as shown beside these other tools; undefined drops the tool from this listing. */
  patchDefinition?(
    definition: ToolDefinition,
    visible: ReadonlySet<string>,
    scope: SessionScope,
  ): ToolDefinition | undefined;
  /** Rejects with a `ToolFailure` for what the model may read and act on; anything else is reported as a bug. */
  execute(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>;
}

/** Only what a tool declares harmless is run a second time. */
export function mayRepeat(tool: Tool | undefined): boolean {
  return tool?.isIdempotent ?? tool?.effects === "none";
}
