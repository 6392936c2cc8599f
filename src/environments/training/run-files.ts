import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { TrainingProfile } from "./profile.ts";
import type { RunRecord, RunRecords } from "./run-record.ts";

/** An environment somebody chose, with what was set about it. */
export interface Selection {
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface NewRun {
  readonly selection: Selection;
  readonly profile: TrainingProfile;
  readonly cwd: string;
  readonly nowMs: number;
}

/** Writes the file that all three programs of a run read, and the record of the run. */
export async function writeRun(records: RunRecords, { selection, profile, cwd, nowMs }: NewRun): Promise<RunRecord> {
  const id = randomBytes(4).toString("hex");
  const { wandb_project: project = "atropos-tinker", ...set } = selection.values;
  const values = Object.entries(set).filter(([, value]) => value !== null && value !== "");
  const name = `${selection.name}-${id}`;
  const env = { ...profile.env, ...Object.fromEntries(values), wandb_name: selection.values["wandb_name"] ?? name };
  const document = {
    env,
    openai: profile.openai,
    tinker: { ...profile.tinker, wandb_project: project, wandb_run_name: name },
    slurm: false,
    testing: false,
  };
  const { stringify } = await import("yaml");
  await mkdir(records.folder, { recursive: true });
  const file = path.join(records.folder, `run_${id}.yaml`);
  await writeFile(file, stringify(document), { mode: 0o600 });
  const record: RunRecord = {
    run_id: id,
    environment: selection.name,
    status: "starting",
    started_at: nowMs,
    wandb_project: String(project),
    wandb_run_name: name,
    config_path: file,
    cwd,
    api_url: String(env["rollout_server_url" as keyof typeof env] ?? "http://localhost:8000").replace(/\/+$/, ""),
    logs: records.logsOf(id),
    processes: {},
  };
  await records.write(record);
  return record;
}
