import type { JsonSchema, ToolDefinition } from "#conversation";
import type { ToolContext } from "../call/context.ts";
import type { ToolResult } from "../call/result.ts";
import type { SessionScope } from "../call/session-scope.ts";

/** Who brought a tool; a lower tier may not take a name from a higher one. */
export type ToolOrigin = "builtin" | "plugin" | "mcp";

/**
 * How calls of one reply may overlap. `serial`: not with anything (the default). `safe`: with
 * anything. `path`: with calls on other paths. `never`: its presence makes the whole reply sequential.
 */
export type Concurrency = "serial" | "safe" | "path" | "never";

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
  readonly emoji?: string;
  readonly origin?: ToolOrigin;
  readonly concurrency?: Concurrency;
  /** The absolute paths a call touches, for `concurrency: "path"`; resolved against the task's working directory. */
  pathsOf?(args: Readonly<Record<string, unknown>>, taskId: string): readonly string[];
  /** True: calls on the same path may overlap with each other. */
  readonly isReadOnly?: boolean;
  /** False: after a crash the call is not repeated silently. */
  readonly isIdempotent?: boolean;
  /** True: starts agents of its own; only so many calls of one reply run. */
  readonly isDelegation?: boolean;
  /** Environment variables to name in listings; they never gate by themselves. */
  readonly requiresEnv?: readonly string[];
  /** Longer results go to a file; `Infinity` never. */
  readonly maxResultChars?: number;
  /** Asked at most once per listing for each distinct function; throwing means unavailable. */
  readonly check?: (signal: AbortSignal) => Promise<Availability> | Availability;
  /** What depends on the session: its model, its kind of terminal. Asked for every listing, after `check`. */
  readonly checkFor?: (scope: SessionScope, signal: AbortSignal) => Promise<Availability> | Availability;
  /** The definition as shown beside these other tools; undefined drops the tool from this listing. */
  patchDefinition?(
    definition: ToolDefinition,
    visible: ReadonlySet<string>,
    scope: SessionScope,
  ): ToolDefinition | undefined;
  /** Rejects with a `ToolFailure` for what the model may read and act on; anything else is reported as a bug. */
  execute(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>;
}
