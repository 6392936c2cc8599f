import type { TurnResult } from "#conversation";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import { deadline, linkSignals, onAbort } from "#foundation/lifecycle/abort";
import type { OpenSession, SessionService, UserInput } from "#session";
import type { Job } from "../job.ts";
import { newestOutput } from "./output-files.ts";
import { guidance, jobPrompt } from "./prompt.ts";
import { runScript, type ScriptDeps } from "./script.ts";

export interface RunJobDeps {
  readonly sessions: SessionService;
  readonly home: HermesHome;
  readonly logger: Logger;
  /** Where jobs without a folder of their own work. */
  readonly cwd: string;
  readonly script: Omit<ScriptDeps, "home">;
  /** Without a sign of life for so long a run is ended; 0: never. */
  readonly idleMs: number;
  /** `cron.use_fallback`. */
  readonly usesFallback: boolean;
}

export type JobOutcome =
  | {
      readonly kind: "answered";
      readonly text: string;
      readonly isSilent: boolean;
      readonly notices: readonly string[];
      /** Which one answered: another than the job's own when that failed. */
      readonly model: string;
    }
  | { readonly kind: "failed"; readonly error: string; readonly text: string | undefined }
  /** Its script said that nobody has to be woken. */
  | { readonly kind: "asleep" };

/** Tools a job never has: it would schedule itself, send twice, or ask nobody. */
const withheld = ["cronjob", "messaging", "clarify"];

/** One run of a job, in a session of its own. Whatever goes wrong is an outcome; only the signal rejects. */
export async function runJob(job: Job, deps: RunJobDeps, signal: AbortSignal): Promise<JobOutcome> {
  try {
    const { home } = deps;
    const script = job.script === undefined ? undefined : await runScript(job.script, { ...deps.script, home }, signal);
    signal.throwIfAborted();
    if (script?.kind === "asleep") return { kind: "asleep" };
    const context = await Promise.all(
      job.contextFrom.map(async (jobId) => ({ jobId, text: await newestOutput(home, jobId) })),
    );
    // What programs and other runs wrote is material, however it speaks.
    const untrusted = script !== undefined ? "the script of this job" : context.length > 0 ? "another job" : undefined;
    return await converse(job, { deps, input: { text: jobPrompt(job, { script, context }), untrusted } }, signal);
  } catch (error) {
    signal.throwIfAborted();
    return { kind: "failed", error: describe(error), text: undefined };
  }
}

async function converse(
  job: Job,
  { deps, input }: { readonly deps: RunJobDeps; readonly input: UserInput },
  signal: AbortSignal,
): Promise<JobOutcome> {
  const notices: string[] = [];
  await using session = await deps.sessions.open({
    source: "cron",
    title: undefined,
    userId: job.userId,
    model: job.model,
    provider: job.provider,
    baseUrl: job.baseUrl,
    toolsets: job.toolsets,
    disabledToolsets: withheld,
    skills: job.skills,
    maxSteps: job.maxSteps,
    systemMessage: guidance,
    ignoreRules: job.workdir === undefined,
    usesMemory: false,
    fallback: job.fallback ?? (deps.usesFallback ? undefined : []),
    cwd: job.workdir ?? deps.cwd,
    isInteractive: false,
  });
  using idle = deps.idleMs > 0 ? deadline(deps.idleMs) : undefined;
  using _heard = session.subscribe((event) => {
    idle?.restart();
    if (event.type === "notice" && event.level !== "info") notices.push(event.text);
  });
  using _stop = onAbort(linkSignals(signal, idle?.signal), () => session.interrupt());
  const result = await answerTo(session, input);
  signal.throwIfAborted();
  if (typeof result === "string") return { kind: "failed", error: result, text: undefined };
  if (idle?.signal.aborted === true)
    return {
      kind: "failed",
      error: `Nothing happened for ${deps.idleMs / 1000} s; the run was ended.`,
      text: result.text,
    };
  return outcomeOf(result, notices);
}

async function answerTo(session: OpenSession, input: UserInput): Promise<TurnResult | string> {
  const submission = await session.submit({ ...input, isPlain: true });
  if (submission.kind === "turn") return await submission.ended;
  return submission.kind === "refused" ? submission.message : "The session did not take the task.";
}

function outcomeOf(result: TurnResult, notices: readonly string[]): JobOutcome {
  const text = result.text?.trim() ?? "";
  if (result.failed || result.interrupted)
    return { kind: "failed", error: result.error ?? "The run was interrupted.", text: text === "" ? undefined : text };
  if (text === "" || result.exitReason === "empty_response_exhausted")
    return { kind: "failed", error: "The answer was empty.", text: undefined };
  return { kind: "answered", text, isSilent: /\[SILENT\]/i.test(text), notices, model: result.model };
}
