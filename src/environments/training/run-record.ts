import { mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { readTextFile, writeFileAtomic } from "#foundation/files/files";
import { isRecord, parseJson } from "#foundation/text/json";

export type RunStatus = "pending" | "starting" | "running" | "stopping" | "stopped" | "completed" | "failed";

/** In the order they are started; they are stopped the other way round. */
export const partNames = ["api", "trainer", "env"] as const;
export type PartName = (typeof partNames)[number];

/** A run as it stands on disk: whoever looks, in whichever process, sees the same. */
export interface RunRecord {
  readonly run_id: string;
  readonly environment: string;
  readonly status: RunStatus;
  readonly error?: string | undefined;
  /** Milliseconds since 1970. */
  readonly started_at: number;
  readonly ended_at?: number | undefined;
  readonly wandb_project: string;
  readonly wandb_run_name: string;
  readonly config_path: string;
  readonly cwd: string;
  readonly api_url: string;
  readonly logs: Readonly<Record<PartName, string>>;
  /** The process that watches over the run. */
  readonly supervisor?: number | undefined;
  readonly processes: Readonly<Partial<Record<PartName, string>>>;
}

const maxBytes = 1_000_000;
const idShape = /^[0-9a-f]{8}$/;

export class RunRecords {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  logsOf(id: string): Readonly<Record<PartName, string>> {
    const at = (part: PartName): string => path.join(this.folder, `${part}_${id}.log`);
    return { api: at("api"), trainer: at("trainer"), env: at("env") };
  }

  async read(id: string): Promise<RunRecord | undefined> {
    if (!idShape.test(id)) return undefined;
    const text = await readTextFile(this.#file(id), { maxBytes });
    const parsed = parseJson(text ?? "");
    return parsed.ok && isRecord(parsed.value) && parsed.value["run_id"] === id
      ? (parsed.value as unknown as RunRecord)
      : undefined;
  }

  async write(record: RunRecord): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    await writeFileAtomic(this.#file(record.run_id), `${JSON.stringify(record, undefined, 2)}\n`);
  }

  async list(): Promise<readonly RunRecord[]> {
    const names = await readdir(this.folder).catch(() => []);
    const ids = names.flatMap((name) => /^run_([0-9a-f]{8})\.json$/.exec(name)?.[1] ?? []);
    const records = await Promise.all(ids.map((id) => this.read(id)));
    return records.flatMap((record) => record ?? []).sort((left, right) => left.started_at - right.started_at);
  }

  #file(id: string): string {
    return path.join(this.folder, `run_${id}.json`);
  }
}

export function isOver({ status }: Pick<RunRecord, "status">): boolean {
  return status === "stopped" || status === "completed" || status === "failed";
}
