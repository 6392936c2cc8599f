import { homedir } from "node:os";
import { defined } from "#foundation/defined";
import type { Logger } from "#foundation/files/logger";
import { isRecord } from "#foundation/text/json";
import { splitCommand } from "./split-command.ts";

export interface ShellHook {
  readonly event: string;
  readonly argv: readonly string[];
  /** Must match the whole tool name. */
  readonly matcher?: RegExp;
  readonly timeoutMs: number;
  /** A call does not run when this check could not be made. */
  readonly failClosed: boolean;
  /** Runs behind the wall of the session it is called for. */
  readonly sandbox: boolean;
}

export interface ShellHookReading {
  readonly hooks: readonly ShellHook[];
  /** Entries that make no sense. */
  readonly leftOut: readonly { readonly event: string; readonly reason: string }[];
}

export interface ReadingOptions {
  /** What `~` at the beginning of a word means. */
  readonly userHome?: string;
}

const defaultTimeoutSeconds = 60;
const maxTimeoutSeconds = 300;

/** Reads the `hooks` section; an entry that makes no sense is warned about and left out. */
export function readShellHooks(raw: unknown, logger: Logger, options: ReadingOptions = {}): readonly ShellHook[] {
  const { hooks, leftOut } = readHookSection(raw, options);
  for (const { event, reason } of leftOut) logger.warn("shell hook left out", { event, reason });
  for (const { event } of hooks.filter(isMeaninglesslyClosed))
    logger.warn("fail_closed means nothing here: only calls of tools can be refused", { event });
  return hooks;
}

/** The same without words, for whoever shows it. */
export function readHookSection(raw: unknown, { userHome = homedir() }: ReadingOptions = {}): ShellHookReading {
  const hooks: ShellHook[] = [];
  const leftOut: { event: string; reason: string }[] = [];
  for (const [event, list] of isRecord(raw) ? Object.entries(raw) : []) {
    if (!Array.isArray(list)) continue;
    for (const entry of list) {
      const hook = readHook(event, entry, userHome);
      if (typeof hook === "string") leftOut.push({ event, reason: hook });
      else hooks.push(hook);
    }
  }
  return { hooks, leftOut };
}

/** Only calls of tools can be refused. */
export function isMeaninglesslyClosed({ event, failClosed }: ShellHook): boolean {
  return failClosed && event !== "pre_tool_call";
}

function readHook(event: string, entry: unknown, userHome: string): ShellHook | string {
  if (!isRecord(entry)) return "it is not a map with a command";
  const { command, matcher, timeout, fail_closed, sandbox } = entry;
  const argv = typeof command === "string" ? readCommand(command, userHome) : undefined;
  if (argv === undefined || argv.length === 0) return "its command is missing or has an open quote";
  let pattern: RegExp | undefined;
  try {
    pattern = typeof matcher === "string" && matcher !== "" ? new RegExp(`^(?:${matcher})$`) : undefined;
  } catch {
    return `its matcher "${String(matcher)}" is not a regular expression`;
  }
  const seconds =
    typeof timeout === "number" && timeout > 0 ? Math.min(timeout, maxTimeoutSeconds) : defaultTimeoutSeconds;
  const failClosed = fail_closed === true;
  const isConfined = sandbox !== "off" && sandbox !== false;
  return {
    event,
    argv,
    timeoutMs: seconds * 1000,
    failClosed,
    sandbox: isConfined,
    ...defined({ matcher: pattern }),
  };
}

/** A command line as its words. No shell reads it, so `~` is taken care of here. */
export function readCommand(line: string, userHome: string): readonly string[] | undefined {
  return splitCommand(line)?.map((word) => (word.startsWith("~/") ? `${userHome}${word.slice(1)}` : word));
}
