import { readdir } from "node:fs/promises";
import path from "node:path";
import { ensureDir, readTextFile, writeFileAtomic } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { headOf } from "#foundation/text/short-text";
import type { Job } from "../job.ts";
import type { Zone } from "../schedule/zone.ts";

export interface Output {
  readonly job: Job;
  readonly atMs: number;
  readonly zone: Zone;
  readonly text: string;
  /** The model that answered. */
  readonly model?: string | undefined;
}

const mostContext = 8000;
const maxBytes = 4_194_304;
const mark = "<!-- answer -->";

/** Writes what a run gave to `cron/output/<job>/<time>.md`; the same run writes the same file. */
export async function saveOutput(home: HermesHome, { job, atMs, zone, text, model }: Output): Promise<string> {
  const folder = path.join(home.cronOutput, job.id);
  await ensureDir(folder, 0o700);
  const name = zone.text(atMs).slice(0, 19).replace("T", "_").replaceAll(":", "-");
  const file = path.join(folder, `${name}.md`);
  const head = [
    `# ${job.name}`,
    "",
    `- Job: ${job.id}`,
    `- Run: ${zone.text(atMs)}`,
    `- Schedule: ${job.schedule.display}`,
    ...(model === undefined ? [] : [`- Model: ${model}`]),
  ];
  await writeFileAtomic(
    file,
    `${[...head, "", "## Task", "", job.prompt, "", "## Answer", "", mark, "", text].join("\n")}\n`,
    { mode: 0o600 },
  );
  return file;
}

/** The newest answer of a job, cut to what another job can use; undefined while there is none. */
export async function newestOutput(home: HermesHome, jobId: string): Promise<string | undefined> {
  const folder = path.join(home.cronOutput, jobId);
  const files = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".md")).sort();
  const newest = files.at(-1);
  if (newest === undefined) return undefined;
  const whole = (await readTextFile(path.join(folder, newest), { maxBytes })) ?? "";
  const at = whole.indexOf(mark);
  const text = (at === -1 ? whole : whole.slice(at + mark.length)).trim();
  return text.length > mostContext
    ? `${headOf(text, mostContext)}\n[… cut: ${text.length - mostContext} more characters]`
    : text;
}
