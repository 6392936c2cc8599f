import type { ToolTask } from "../contract/session-scope.ts";
import type { Terminal } from "../contract/terminal.ts";

export type PathUse = "read" | "write";

export type PathVerdict =
  | {
      readonly kind: "allowed";
      readonly realPath: string;
      /** Set when what is read there are words of strangers. */
      readonly untrusted?: string | undefined;
    }
  | { readonly kind: "refused"; readonly reason: string };

/** Says whether a path may be used, after resolving links in the terminal where the file lives. */
export type PathGuard = (
  path: string,
  use: PathUse,
  context: ToolTask & {
    readonly terminal: Terminal;
    readonly callId?: string | undefined;
    readonly signal: AbortSignal;
  },
) => Promise<PathVerdict>;
