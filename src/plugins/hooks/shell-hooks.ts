import { isRecord, parseJson } from "#foundation/json";
import type { Logger } from "#foundation/logger";
import { runProcess } from "#foundation/process";
import type { Hooks } from "./hooks.ts";
import type { ShellConsent } from "./shell-consent.ts";
import { splitCommand } from "./split-command.ts";

export interface ShellHook {
  readonly event: string;
  readonly argv: readonly string[];
  /** Must match the whole tool name. */
  readonly matcher?: RegExp;
  readonly timeoutMs: number;
  /** A call does not run when this check could not be made. */
  readonly failClosed: boolean;
}

export interface ShellHookDeps {
  readonly logger: Logger;
  readonly consent: ShellConsent;
  /** `--accept-hooks`, `HERMES_ACCEPT_HOOKS=1` or `hooks_auto_accept`. */
  readonly autoAccept: boolean;
  /** Asks whether a command may run as a hook; absent means no. */
  ask?(event: string, command: string, signal: AbortSignal): Promise<boolean>;
  /** The environment of the commands, already without secrets. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

const defaultTimeoutSeconds = 60;
const maxTimeoutSeconds = 300;
const maxOutputBytes = 256 * 1024;

/** Reads the `hooks` section; an entry that makes no sense is warned about and left out. */
export function readShellHooks(raw: unknown, logger: Logger): readonly ShellHook[] {
  if (!isRecord(raw)) return [];
  return Object.entries(raw).flatMap(([event, list]) => {
    if (!Array.isArray(list)) return [];
    return list.flatMap((entry) => {
      const hook = readHook(event, entry);
      if (typeof hook !== "string") {
        if (hook.failClosed && event !== "pre_tool_call")
          logger.warn("fail_closed means nothing here: only calls of tools can be refused", { event });
        return [hook];
      }
      logger.warn("shell hook left out", { event, reason: hook });
      return [];
    });
  });
}

function readHook(event: string, entry: unknown): ShellHook | string {
  if (!isRecord(entry)) return "it is not a map with a command";
  const { command, matcher, timeout, fail_closed } = entry;
  const argv = typeof command === "string" ? splitCommand(command) : undefined;
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
  return { event, argv, timeoutMs: seconds * 1000, failClosed, ...(pattern === undefined ? {} : { matcher: pattern }) };
}

/** Registers the hooks the person has agreed to; the others are named in the log. */
export async function registerShellHooks(
  hooks: Hooks,
  configured: readonly ShellHook[],
  { deps, signal }: { readonly deps: ShellHookDeps; readonly signal: AbortSignal },
): Promise<readonly Disposable[]> {
  const registered: Disposable[] = [];
  for (const hook of configured) {
    const command = hook.argv.join(" ");
    if (!(await isAllowed(hook, deps, signal))) {
      deps.logger.warn("shell hook is not allowed yet and will not run", { event: hook.event, command });
      continue;
    }
    const callback = (payload: unknown, callSignal: AbortSignal): Promise<unknown> =>
      runShellHook(hook, { deps, payload }, callSignal);
    const { failClosed } = hook;
    registered.push(
      hooks.on(hook.event, callback, { owner: command, rank: "shell", failClosed, timeoutMs: hook.timeoutMs + 1_000 }),
    );
  }
  return registered;
}

async function isAllowed(hook: ShellHook, deps: ShellHookDeps, signal: AbortSignal): Promise<boolean> {
  if (deps.autoAccept || (await deps.consent.isAllowed(hook.event, hook.argv))) return true;
  if ((await deps.ask?.(hook.event, hook.argv.join(" "), signal)) !== true) return false;
  await deps.consent.allow(hook.event, hook.argv);
  return true;
}

/** Runs one command with the event on its input; what it prints may block a call or add context. */
async function runShellHook(
  hook: ShellHook,
  { deps, payload }: { readonly deps: ShellHookDeps; readonly payload: unknown },
  signal: AbortSignal,
): Promise<unknown> {
  const fields: Record<string, unknown> = isRecord(payload) ? payload : {};
  const { tool_name, args, session_id, ...extra } = fields;
  if (hook.matcher !== undefined && (typeof tool_name !== "string" || !hook.matcher.test(tool_name))) return undefined;
  const [program = "", ...rest] = hook.argv;
  const input = JSON.stringify({
    hook_event_name: hook.event,
    tool_name: tool_name ?? null,
    tool_input: args ?? null,
    session_id: session_id ?? null,
    cwd: deps.cwd,
    extra,
  });
  const ended = await runProcess(program, rest, {
    cwd: deps.cwd,
    env: { ...deps.env },
    input,
    signal,
    timeoutMs: hook.timeoutMs,
    maxOutputBytes,
  });
  if (ended.timedOut) throw new Error(`no answer within ${hook.timeoutMs / 1000} s`);
  if (ended.exitCode !== 0) throw new Error(`ended with exit code ${ended.exitCode ?? "none"}`);
  if (ended.stdout.trim() === "") return undefined;
  const parsed = parseJson(ended.stdout);
  if (!parsed.ok) throw new Error("printed something that is not JSON");
  return readAnswer(parsed.value);
}

function readAnswer(answer: unknown): unknown {
  if (!isRecord(answer)) return undefined;
  if (answer["action"] === "block")
    return { action: "block", message: String(answer["message"] ?? "Blocked by a hook.") };
  if (answer["decision"] === "block")
    return { action: "block", message: String(answer["reason"] ?? "Blocked by a hook.") };
  return typeof answer["context"] === "string" ? { context: answer["context"] } : undefined;
}
