import path from "node:path";
import { describe } from "#foundation/errors";
import type { HermesHome } from "#foundation/files/paths";
import { runProcess } from "#foundation/process/run";
import { isRecord, parseJson } from "#foundation/text/json";
import { headOf } from "#foundation/text/short-text";
import { scriptFile } from "../script-path.ts";

export interface ScriptDeps {
  readonly home: HermesHome;
  readonly timeoutMs: number;
  /** The whole environment of the script; no keys of Hermes. */
  readonly env: NodeJS.ProcessEnv;
  redact(text: string): string;
}

export type ScriptEnd =
  | { readonly kind: "printed"; readonly text: string }
  | { readonly kind: "failed"; readonly text: string }
  /** It says itself that nobody has to be woken. */
  | { readonly kind: "asleep" };

const maxOutputBytes = 200_000;
const mostCharacters = 50_000;

/** Runs the script of a job. Failing is a report for the agent, so that the person learns of it. */
export async function runScript(script: string, deps: ScriptDeps, signal: AbortSignal): Promise<ScriptEnd> {
  const { home, timeoutMs, env } = deps;
  const clean = (text: string): string => headOf(deps.redact(text).trim(), mostCharacters);
  try {
    const file = scriptFile(script, home);
    const [program, ...before] = interpreterOf(file);
    const ended = await runProcess(program, [...before, file], {
      cwd: path.dirname(file),
      env,
      signal,
      timeoutMs,
      maxOutputBytes,
    });
    if (ended.timedOut)
      return {
        kind: "failed",
        text: clean(`The script ${script} was stopped after ${timeoutMs / 1000} s.\n${ended.stdout}`),
      };
    if (ended.exitCode !== 0) {
      const how = ended.signal === null ? `exit code ${ended.exitCode}` : ended.signal;
      return { kind: "failed", text: clean(`The script ${script} failed (${how}).\n${ended.stderr}\n${ended.stdout}`) };
    }
    return isAsleep(ended.stdout) ? { kind: "asleep" } : { kind: "printed", text: clean(ended.stdout) };
  } catch (error) {
    return { kind: "failed", text: clean(`The script ${script} could not be run: ${describe(error)}`) };
  }
}

function interpreterOf(file: string): readonly [string, ...string[]] {
  const ending = path.extname(file).toLowerCase();
  if (ending === ".sh" || ending === ".bash") return ["bash"];
  if ([".js", ".mjs", ".cjs", ".ts", ".mts"].includes(ending)) return [process.execPath];
  return ["python3"];
}

/** The last line that says anything is JSON with `wakeAgent: false`. */
function isAsleep(stdout: string): boolean {
  const last = stdout.trimEnd().split("\n").at(-1) ?? "";
  const parsed = parseJson(last);
  return parsed.ok && isRecord(parsed.value) && parsed.value["wakeAgent"] === false;
}
