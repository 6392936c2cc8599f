import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { type ProcessResult, runProcess } from "#foundation/process/run";
import { isRecord, parseJson } from "#foundation/text/json";
import type { SessionWall } from "#tools";
import type { Hooks } from "./hooks.ts";
import type { ShellHook } from "./read-shell-hooks.ts";
import type { ShellConsent } from "./shell-consent.ts";

export interface ShellHookDeps {
  readonly logger: Logger;
  readonly consent: ShellConsent;
  /** `--accept-hooks`, `HERMES_ACCEPT_HOOKS=1` or `hooks_auto_accept`. */
  readonly autoAccept: boolean;
  /** Asks whether a command may run as a hook; absent means no. */
  ask?(event: string, command: string, signal: AbortSignal): Promise<boolean>;
  /** Told how each run went, for whoever shows it. */
  onRun?(run: ShellHookRun): void;
  /** The environment of the commands, already without secrets. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Holds the commands inside; undefined where no session runs, as when a person tries a hook. */
  wall?(signal: AbortSignal): Promise<SessionWall | undefined>;
}

/** How one hook answered to one event. */
export interface ShellHookRun {
  readonly hook: ShellHook;
  /** What it got on its standard input. */
  readonly input: string;
  /** Absent when it was not started. */
  readonly ended?: ProcessResult;
  readonly outcome:
    | { readonly kind: "answered"; readonly value: unknown }
    | { readonly kind: "other-tool" }
    | { readonly kind: "failed"; readonly why: string };
}

const maxOutputBytes = 256 * 1024;

/** Registers the hooks the person has agreed to; the others are named in the log. */
export async function registerShellHooks(
  hooks: Hooks,
  configured: readonly ShellHook[],
  { deps, signal }: { readonly deps: ShellHookDeps; readonly signal: AbortSignal },
): Promise<readonly Disposable[]> {
  const registered: Disposable[] = [];
  for (const hook of configured) {
    const command = hook.argv.join(" ");
    // Before the print is taken: whatever changes after this moment is noticed when the hook runs.
    const mark = await deps.consent.mark(hook.argv);
    if (!(await isAllowed(hook, deps, signal))) {
      deps.logger.warn("shell hook is not allowed yet and will not run; see: hermes hooks list", {
        event: hook.event,
        command,
      });
      continue;
    }
    const callback = async (payload: unknown, callSignal: AbortSignal): Promise<unknown> => {
      const run = await runShellHook(hook, { deps, payload, mark }, callSignal);
      deps.onRun?.(run);
      if (run.outcome.kind === "failed") throw new Error(run.outcome.why);
      return run.outcome.kind === "answered" ? run.outcome.value : undefined;
    };
    const { failClosed } = hook;
    registered.push(
      hooks.on(hook.event, callback, { owner: command, rank: "shell", failClosed, timeoutMs: hook.timeoutMs + 1_000 }),
    );
  }
  return registered;
}

async function isAllowed(hook: ShellHook, deps: ShellHookDeps, signal: AbortSignal): Promise<boolean> {
  if (deps.autoAccept) return true;
  const { state, print } = await deps.consent.state(hook.event, hook.argv);
  if (state === "allowed") return true;
  if ((await deps.ask?.(hook.event, hook.argv.join(" "), signal)) !== true) return false;
  await deps.consent.allow(hook, print);
  return true;
}

/** Runs one command with the event on its input; what it prints may block a call or add context. */
async function runShellHook(
  hook: ShellHook,
  { deps, payload, mark }: { readonly deps: ShellHookDeps; readonly payload: unknown; readonly mark: string },
  signal: AbortSignal,
): Promise<ShellHookRun> {
  const { tool_name, args, session_id, ...extra }: Record<string, unknown> = isRecord(payload) ? payload : {};
  const input = JSON.stringify({
    hook_event_name: hook.event,
    tool_name: tool_name ?? null,
    tool_input: args ?? null,
    session_id: session_id ?? null,
    cwd: deps.cwd,
    extra,
  });
  if (hook.matcher !== undefined && (typeof tool_name !== "string" || !hook.matcher.test(tool_name)))
    return { hook, input, outcome: { kind: "other-tool" } };
  if (await hasChanged(hook, deps, mark))
    return { hook, input, outcome: { kind: "failed", why: "its script changed since it was allowed" } };
  const [program = "", ...rest] = hook.argv;
  try {
    const wall = hook.sandbox ? await deps.wall?.(signal) : undefined;
    const plain = { program, args: rest };
    const call = wall?.confine(plain, { cwd: deps.cwd, isBackground: true, writable: [] }) ?? plain;
    const ended = await runProcess(call.program, call.args, {
      cwd: deps.cwd,
      env: { ...deps.env, ...wall?.environment },
      input,
      signal,
      timeoutMs: hook.timeoutMs,
      maxOutputBytes,
    });
    return { hook, input, ended, outcome: outcomeOf(ended, hook) };
  } catch (error) {
    signal.throwIfAborted();
    return { hook, input, outcome: { kind: "failed", why: describe(error).replace(/\.$/, "") } };
  }
}

/** Consent is for a script as it was: one that is edited while the program runs does not run any more. */
async function hasChanged(hook: ShellHook, { autoAccept, consent }: ShellHookDeps, mark: string): Promise<boolean> {
  if (autoAccept || (await consent.mark(hook.argv)) === mark) return false;
  return !(await consent.isAllowed(hook.event, hook.argv));
}

function outcomeOf(ended: ProcessResult, { timeoutMs }: ShellHook): ShellHookRun["outcome"] {
  if (ended.timedOut) return { kind: "failed", why: `no answer within ${timeoutMs / 1000} s` };
  if (ended.exitCode !== 0) return { kind: "failed", why: `ended with exit code ${ended.exitCode ?? "none"}` };
  if (ended.stdout.trim() === "") return { kind: "answered", value: undefined };
  const parsed = parseJson(ended.stdout);
  return parsed.ok
    ? { kind: "answered", value: readAnswer(parsed.value) }
    : { kind: "failed", why: "printed something that is not JSON" };
}

function readAnswer(answer: unknown): unknown {
  if (!isRecord(answer)) return undefined;
  if (answer["action"] === "block")
    return { action: "block", message: String(answer["message"] ?? "Blocked by a hook.") };
  if (answer["decision"] === "block")
    return { action: "block", message: String(answer["reason"] ?? "Blocked by a hook.") };
  return typeof answer["context"] === "string" ? { context: answer["context"] } : undefined;
}
