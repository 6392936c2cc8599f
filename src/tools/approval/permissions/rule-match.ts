import { type Destination, matchesHost } from "../../network/host-rules.ts";
import { readCommandLine } from "../../shell/read-line.ts";
import type { SimpleCommand } from "../../shell/simple-command.ts";
import { absolutePattern, type PermissionRule, type PermissionSubject, type RuleLocation } from "./rule.ts";

/** The first rule that is about the call. Allow rules cover a command line only together, and only all of it. */
export function firstOf(
  rules: readonly PermissionRule[],
  subject: PermissionSubject,
  location: RuleLocation,
): PermissionRule | undefined {
  const [first] = rules;
  if (first?.effect !== "allow" || subject.command === undefined)
    return rules.find((rule) => concerns(rule, subject, location));
  const whole = rules.find((rule) => rule.target.kind !== "command" && concerns(rule, subject, location));
  if (whole !== undefined) return whole;
  const fitting = rules.filter((rule) => concerns(rule, subject, location));
  const patterns = fitting.flatMap(({ target }) => (target.kind === "command" ? [target.pattern] : []));
  return allowsLine(patterns, subject.command, location) ? fitting[0] : undefined;
}

/**
 * Whether a rule is about a call. A deny or ask rule is about a line as soon as one of its commands fits, also inside a wrapper; whether
 * an allow rule covers a whole line is asked of {@link allowsLine}.
 */
function concerns(rule: PermissionRule, subject: PermissionSubject, location: RuleLocation): boolean {
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
function allowsLine(patterns: readonly string[], command: string, location: RuleLocation): boolean {
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

/** A domain stands for itself and everything below it; `*.domain` only for what is below. */
function isHost(pattern: string, host: Destination): boolean {
  return matchesHost(pattern, host) || (!pattern.startsWith("*.") && matchesHost(`*.${pattern}`, host));
}

const escaped = (text: string): string => text.replace(/[.+^${}()|[\]\\]/g, "\\$&");
