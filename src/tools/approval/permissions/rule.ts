import path from "node:path";
import { type Destination, matchesHost } from "../../network/host-rules.ts";
import { readCommandLine } from "../../shell/read-line.ts";
import type { SimpleCommand } from "../../shell/simple-command.ts";

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

/**
 * Whether a rule is about a call. A deny or ask rule is about a line as soon as one of its commands fits, also inside a wrapper; whether
 * an allow rule covers a whole line is asked of {@link allowsLine}.
 */
export function concerns(rule: PermissionRule, subject: PermissionSubject, location: RuleLocation): boolean {
  const { target } = rule;
  switch (target.kind) {
    case "tool":
      return fits(target.tool, subject.tool);
    case "mcp":
      return (
        subject.mcp !== undefined &&
        fits(target.server, subject.mcp.server) &&
        (target.tool === "*" || subject.tool.endsWith(`_${target.tool}`) || fits(target.tool, subject.tool))
      );
    case "domain":
      return subject.hosts?.some((host) => isHost(target.pattern, host)) === true;
    case "path":
      return (
        subject.path !== undefined &&
        (target.use === "any" || target.use === subject.path.use) &&
        fitsPath(target.pattern, subject.path.real, location)
      );
    case "command": {
      const { command } = subject;
      if (command === undefined || !fits(target.tool, subject.tool)) return false;
      const { commands } = readCommandLine(command, location);
      return fits(target.pattern, command.trim()) || commands.some((one) => mayFit(target.pattern, one));
    }
  }
}

/** Every command of the line fits one of the patterns, nothing is unknown, and no output goes into a file. */
export function allowsLine(patterns: readonly string[], command: string, location: RuleLocation): boolean {
  const { commands, problems } = readCommandLine(command, location);
  if (problems.length > 0 || commands.length === 0) return false;
  return commands.every(
    (one) =>
      one.writes.length === 0 &&
      one.wrappers.length === 0 &&
      one.assigns.length === 0 &&
      one.nameFrom === "literal" &&
      one.args.every(({ isKnown }) => isKnown) &&
      patterns.some((pattern) => fits(pattern, wordsOf(one))),
  );
}

/** A word that cannot be known could be any: such a command fits when the words before it do. */
function mayFit(pattern: string, command: SimpleCommand): boolean {
  if (command.name === undefined) return false;
  if (fits(pattern, wordsOf(command)) || fits(pattern, [command.path, ...argsOf(command)].join(" "))) return true;
  const unknownAt = command.args.findIndex(({ isKnown }) => !isKnown);
  if (unknownAt < 0) return false;
  const wanted = pattern.split(/\s+/).slice(0, unknownAt + 1);
  return fits(wanted.join(" "), [command.name, ...argsOf(command).slice(0, unknownAt)].join(" "));
}

const argsOf = ({ args }: SimpleCommand): readonly string[] => args.map(({ text }) => text);
const wordsOf = (command: SimpleCommand): string => [command.name, ...argsOf(command)].join(" ");

/** `*` is any text and `?` one character; the pattern covers the whole. A last ` *` may also stand for nothing. */
function fits(pattern: string, text: string): boolean {
  if (pattern.endsWith(" *") && fits(pattern.slice(0, -2), text)) return true;
  return new RegExp(`^${escaped(pattern).replaceAll("*", "[\\s\\S]*").replaceAll("?", "[\\s\\S]")}$`).test(text);
}

/** `*` and `?` stay within one folder, `**` does not; a path without them is a file, or a folder with all that is in it. */
function fitsPath(pattern: string, real: string, location: RuleLocation): boolean {
  const source = escaped(absolutePattern(pattern, location))
    .replaceAll("**/", "\u0001")
    .replaceAll("**", "\u0002")
    .replaceAll("*", "[^/]*")
    .replaceAll("?", "[^/]")
    .replaceAll("\u0001", "(?:.*/)?")
    .replaceAll("\u0002", ".*");
  return new RegExp(`^${source}(?:/.*)?$`).test(real);
}

export function absolutePattern(pattern: string, { cwd, home }: RuleLocation): string {
  const written = pattern.replace(/^~(?=\/|$)/, home);
  return path.posix.resolve(cwd, written);
}

/** A domain stands for itself and everything below it; `*.domain` only for what is below. */
function isHost(pattern: string, host: Destination): boolean {
  return matchesHost(pattern, host) || (!pattern.startsWith("*.") && matchesHost(`*.${pattern}`, host));
}

const escaped = (text: string): string => text.replace(/[.+^${}()|[\]\\]/g, "\\$&");
