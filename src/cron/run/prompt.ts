import { fenceUntrusted } from "#tools";
import type { Job } from "../job.ts";
import type { ScriptEnd } from "./script.ts";

/** What every run is told beside its task. */
export const guidance = [
  "You are running as a scheduled job: nobody is watching, and nobody can answer questions.",
  "Your last message is delivered to the user automatically. Do not send it yourself, and do not say that you will.",
  "If there is nothing worth telling, answer with [SILENT] and nothing else.",
].join("\n");

export interface PromptMaterial {
  readonly script?: ScriptEnd | undefined;
  /** Newest outputs of other jobs. */
  readonly context: readonly { readonly jobId: string; readonly text: string | undefined }[];
}

/** The words a run begins with. Output of programs and of other jobs is fenced: it is material, not instructions. */
export function jobPrompt(job: Pick<Job, "name" | "prompt" | "skills">, { script, context }: PromptMaterial): string {
  const parts: string[] = [];
  if (script?.kind === "printed" && script.text !== "")
    parts.push(`What the script of this job printed:\n${fenceUntrusted(script.text, "the script of this job")}`);
  if (script?.kind === "failed")
    parts.push(
      `The script of this job did not work. Tell the user about it.\n${fenceUntrusted(script.text, "the script of this job")}`,
    );
  for (const { jobId, text } of context)
    parts.push(
      text === undefined
        ? `The job ${jobId} has no output yet.`
        : `The newest output of the job ${jobId}:\n${fenceUntrusted(text, `job ${jobId}`)}`,
    );
  const task = job.prompt === "" ? `Do what the skill ${job.skills.join(" and ")} says.` : job.prompt;
  return [...parts, `Your task:\n${task}`].join("\n\n");
}
