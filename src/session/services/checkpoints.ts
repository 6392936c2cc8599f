import { plural } from "#foundation/text/figures";
import type { Checkpoints } from "#tools";

/** The files of the session's folder as they were before changes. */
export interface CheckpointService {
  list(signal: AbortSignal): Promise<readonly CheckpointInfo[]>;
  diff(id: string, signal: AbortSignal): Promise<string>;
  /** One file or all of them; says what was done. */
  restore(id: string, file: string | undefined, signal: AbortSignal): Promise<string>;
}

export interface CheckpointInfo {
  readonly id: string;
  readonly atMs: number;
  readonly reason: string;
}

export function checkpointService(checkpoints: Checkpoints, folder: string): CheckpointService {
  return {
    list: async (signal) =>
      (await checkpoints.list(folder, signal)).map(({ hash, atMs, reason }) => ({ id: hash, atMs, reason })),
    diff: (id, signal) => checkpoints.diff(folder, id, signal),
    async restore(id, file, signal) {
      const which = file === undefined ? { hash: id } : { hash: id, file };
      const { restored, removed } = await checkpoints.restore(folder, which, signal);
      return `${plural(restored.length, "file")} restored, ${removed.length} created since then removed.`;
    },
  };
}
