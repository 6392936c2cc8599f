import path from "node:path";
import type { Destination } from "../../network/host-rules.ts";

export type PermissionEffect = "deny" | "ask" | "allow";

/** What a rule is about. */
export type RuleTarget =
  | { readonly kind: "tool"; readonly tool: string }
  /** Commands of one tool, or of any. */
  | { readonly kind: "command"; readonly tool: string; readonly pattern: string }
  | { readonly kind: "path"; readonly use: "any" | "read" | "write"; readonly pattern: string }
  | { readonly kind: "domain"; readonly pattern: string }
  | { readonly kind: "mcp"; readonly server: string; readonly tool: string };

export interface PermissionRule {
  readonly effect: PermissionEffect;
  /** As the person wrote it. */
  readonly text: string;
  /** Where it stands: a file, or the session. */
  readonly origin: string;
  readonly target: RuleTarget;
}

/** What a rule is asked about; each call has at most one command. */
export interface PermissionSubject {
  readonly tool: string;
  /** Where the tool comes from an MCP server. */
  readonly mcp?: { readonly server: string } | undefined;
  readonly command?: string | undefined;
  /** Real, absolute. */
  readonly path?: { readonly real: string; readonly use: "read" | "write" } | undefined;
  readonly hosts?: readonly Destination[] | undefined;
}

export interface RuleLocation {
  /** What patterns without a leading `/` or `~` are relative to. */
  readonly cwd: string;
  readonly home: string;
}

/** Reads `tool`, `tool(command)`, `command(…)`, `path(…)`, `read(…)`, `write(…)`, `domain(…)` or `mcp(server/tool)`; a text says what is wrong. */
export function readRuleTarget(text: string): RuleTarget | string {
  const match = /^([A-Za-z0-9_*?-]+)(?:\(([\s\S]*)\))?$/.exec(text.trim());
  if (match === null) return "it is neither a tool nor name(pattern)";
  const [, head = "", inner] = match;
  const pattern = inner?.trim();
  if (pattern === "") return "there is nothing between the brackets";
  const isNamed = ["command", "path", "read", "write", "domain", "mcp"].includes(head);
  if (pattern === undefined) return isNamed ? `${head} needs a pattern in brackets` : { kind: "tool", tool: head };
  switch (head) {
    case "command":
      return { kind: "command", tool: "*", pattern };
    case "path":
      return { kind: "path", use: "any", pattern };
    case "read":
    case "write":
      return { kind: "path", use: head, pattern };
    case "domain":
      return { kind: "domain", pattern };
    case "mcp": {
      const [server = "", tool = "*"] = pattern.split("/");
      return { kind: "mcp", server, tool };
    }
    case "terminal":
    case "process":
      return { kind: "command", tool: head, pattern };
    default:
      return `only terminal and process have commands; for files write path(…), read(…) or write(…), for pages domain(…), for servers mcp(…)`;
  }
}

export function absolutePattern(pattern: string, { cwd, home }: RuleLocation): string {
  const written = pattern.replace(/^~(?=\/|$)/, home);
  return path.posix.resolve(cwd, written);
}
