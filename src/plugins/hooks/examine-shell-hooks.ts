import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { nearest } from "#foundation/text/text";
import { type CommandLocation, isExecutable, programFile } from "./command-files.ts";
import { hookNames, isHookName } from "./names.ts";
import { isMeaninglesslyClosed, type ShellHook, type ShellHookReading } from "./read-shell-hooks.ts";
import { isAboutTool } from "./sample-event.ts";
import type { ShellConsent } from "./shell-consent.ts";
import { joinCommand } from "./split-command.ts";

export interface HookFinding {
  /** A problem keeps a hook from doing its work; a note does not. */
  readonly severity: "problem" | "note";
  readonly event: string;
  readonly command?: string;
  readonly text: string;
  readonly hint?: string;
}

export interface Examination {
  readonly consent: ShellConsent;
  readonly location: CommandLocation;
  /** Hooks run without consent. */
  readonly autoAccept: boolean;
}

type Finding = Omit<HookFinding, "event" | "command">;

const interpreters = /^(sh|bash|dash|zsh|fish|node|deno|bun|ruby|perl|php|python[\d.]*)$/;

/** What is wrong with the configured shell hooks, without running one. */
export async function examineShellHooks(
  { hooks, leftOut }: ShellHookReading,
  examination: Examination,
): Promise<readonly HookFinding[]> {
  const found: HookFinding[] = leftOut.map(({ event, reason }) => ({
    severity: "problem",
    event,
    text: `an entry is left out: ${reason}`,
    hint: "Correct it with: hermes config edit",
  }));
  for (const hook of hooks) {
    const findings = [
      ...meaningFindings(hook),
      ...(await programFindings(hook, examination.location)),
      // Nobody can be asked about what never runs.
      ...(isHookName(hook.event) ? await consentFindings(hook, examination) : []),
    ];
    found.push(...findings.map((one) => ({ ...one, event: hook.event, command: joinCommand(hook.argv) })));
  }
  return [...found, ...(await leftoverConsents(hooks, examination.consent))];
}

function meaningFindings(hook: ShellHook): readonly Finding[] {
  const { event, matcher } = hook;
  const findings: Finding[] = [];
  if (!isHookName(event)) {
    const meant = nearest(event, hookNames);
    findings.push({
      severity: "problem",
      text: `nothing fires an event "${event}"`,
      hint: meant === undefined ? `The events are: ${hookNames.join(", ")}` : `Did you mean ${meant}?`,
    });
  } else if (matcher !== undefined && !isAboutTool(event)) {
    findings.push({
      severity: "problem",
      text: "it has a matcher, but this event is about no tool, so that it never runs",
      hint: "Take the matcher away.",
    });
  }
  if (isMeaninglesslyClosed(hook))
    findings.push({ severity: "note", text: "fail_closed means nothing here: only calls of tools can be refused" });
  return findings;
}

async function programFindings({ argv }: ShellHook, location: CommandLocation): Promise<readonly Finding[]> {
  const [word = "", script = ""] = argv;
  const file = await programFile(word, location);
  if (file === undefined)
    return [{ severity: "problem", text: `${word} is not found`, hint: "Give its full path, or correct it." }];
  if (!(await isExecutable(file)))
    return [{ severity: "problem", text: `${file} is not executable`, hint: `Run: chmod +x ${file}` }];
  const isInterpreted = interpreters.test(basename(word)) && script !== "" && !script.startsWith("-");
  const scriptFile = resolve(location.cwd, script);
  if (isInterpreted && (await stat(scriptFile).catch(() => undefined)) === undefined)
    return [{ severity: "problem", text: `${scriptFile} is not there` }];
  return await writableByOthers(isInterpreted ? [file, scriptFile] : [file]);
}

/** Consent notices a change, but whoever accepts hooks unasked would run it. */
async function writableByOthers(files: readonly string[]): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const file of files) {
    const mode = (await stat(file).catch(() => undefined))?.mode ?? 0;
    if ((mode & 0o002) !== 0)
      findings.push({ severity: "note", text: `everybody may write to ${file}`, hint: `Run: chmod o-w ${file}` });
  }
  return findings;
}

async function consentFindings(hook: ShellHook, { consent, autoAccept }: Examination): Promise<readonly Finding[]> {
  const { state } = await consent.state(hook.event, hook.argv);
  if (state === "allowed") return [];
  const text = state === "changed" ? "its script changed since it was allowed" : "nobody has allowed it yet";
  if (autoAccept) return [{ severity: "note", text: `${text}; it runs because hooks are accepted unasked` }];
  return [{ severity: "problem", text, hint: `Look at it, then: hermes hooks test ${hook.event}` }];
}

async function leftoverConsents(hooks: readonly ShellHook[], consent: ShellConsent): Promise<readonly HookFinding[]> {
  const configured = new Set(hooks.map(({ event, argv }) => JSON.stringify([event, argv])));
  return (await consent.entries())
    .filter(({ event, argv }) => !configured.has(JSON.stringify([event, argv])))
    .map(({ event, argv }) => ({
      severity: "note",
      event,
      command: joinCommand(argv),
      text: "it is allowed, but no setting names it any more",
      hint: `Run: hermes hooks revoke ${joinCommand(argv)}`,
    }));
}
