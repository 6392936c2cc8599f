import { interpreterOf } from "../../shell/programs/interpreters.ts";
import { readCommandLine } from "../../shell/read-line.ts";
import { shells } from "../../shell/reading/scripts.ts";
import type { SimpleCommand } from "../../shell/simple-command.ts";
import { databases, statementKeys } from "../structure/data-rules.ts";
import { keys } from "../structure/keys.ts";
import { hasEffects } from "../structure/rules/code.ts";
import { type Detected, type DetectLocation, detect } from "./detect.ts";

/** Programs that hand on what they read to a shell: on another machine, in a container, for another user. */
const shellCarriers: ReadonlySet<string> = new Set(
  "ssh mosh autossh telnet docker podman nerdctl kubectl oc lxc machinectl su sudo doas runuser pkexec tmux screen script adb nsenter unshare chroot".split(
    " ",
  ),
);
/** Ways out of editors, pagers and debuggers into a shell. */
const escapes =
  /(?:^|\p{Cc})\s*(?::?\s*!|:\s*(?:sh(?:ell)?|term(?:inal)?|r(?:ead)?\s*!|w(?:rite)?\s*!)|\\!|shell\b|system\b|\.shell\b|\.system\b)/u;

/**
 * Judges text on its way to the input of a running program: commands for a shell, statements for a database, code for
 * an interpreter. Only whole lines can be judged; a piece of one is asked about, since its rest comes later.
 */
export function detectInput(
  text: string,
  { program, location }: { readonly program: string; readonly location: DetectLocation },
): Detected {
  const commands = readCommandLine(program, location).commands.filter((one) => !one.wrappers.includes("substitution"));
  const running = commands.at(-1);
  if (running === undefined || isOnlyKeys(text)) return found([]);
  // Where a shell stands by now, and what was set in it, nobody knows.
  const isWhole = /[\r\n]$/.test(text);
  if (readsCommands(commands)) {
    const judged = detect(text.replace(/\r\n?/g, "\n"), { ...location, cwd: undefined });
    return isWhole || judged.hardline !== undefined
      ? judged
      : found([...judged.findings.map((one) => one.key), keys.input]);
  }
  const name = running.name ?? "";
  if (databases.has(name)) return found([...statementKeys(text), ...(isWhole ? [] : [keys.input])]);
  const interpreter = interpreterOf(name);
  if (interpreter !== undefined && interpreter.language !== "awk" && !hasScript(running)) {
    const isActing = hasEffects(text, interpreter.language, { command: running, location });
    return found([keys.input, ...(isActing ? [keys.code] : [])]);
  }
  return found(running.name === undefined || escapes.test(text) ? [keys.input] : []);
}

function readsCommands(commands: readonly SimpleCommand[]): boolean {
  const running = commands.at(-1);
  if (running === undefined) return false;
  if (shells.has(running.name ?? "")) return !hasScript(running);
  return shellCarriers.has(running.name ?? "");
}

/** A script file, or code in the words: then the input is the script's. */
function hasScript(command: SimpleCommand): boolean {
  return (
    command.args.some((arg) => !/^[-+]/.test(arg.text)) || command.args.some((arg) => /^-[a-zA-Z]*c$/.test(arg.text))
  );
}

/** Answers and control keys: nothing in them is a command. */
function isOnlyKeys(text: string): boolean {
  return /^(?:[yYnN]|yes|no|\p{Cc}|\d{1,3}|)[\r\n]*$/u.test(text);
}

function found(list: readonly string[]): Detected {
  const findings = [...new Set(list)].map(
    (key) => ({ key, description: key, severity: "ask", source: "structure" }) as const,
  );
  return { hardline: undefined, findings };
}
