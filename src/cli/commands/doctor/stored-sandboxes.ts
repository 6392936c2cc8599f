import { opendir, stat } from "node:fs/promises";
import path from "node:path";
import type { Config } from "#config";
import type { HermesHome } from "#foundation/files/paths";
import type { Check } from "./check.ts";

/** Enough to know that it is much; a look at more would take longer than anybody waits for a doctor. */
const mostEntries = 200_000;

/** What containers and images leave on this machine between sessions, and whether that is more than the person wants. */
export async function examineStoredSandboxes(
  { sandbox_dir, disk_warning_gb }: Pick<Config["terminal"], "sandbox_dir" | "disk_warning_gb">,
  home: HermesHome,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const folder = sandbox_dir === "" ? home.at("sandboxes") : path.resolve(sandbox_dir);
  const { bytes, isWhole } = await measure(folder, signal);
  if (bytes === 0) return [];
  const size = `${isWhole ? "" : "more than "}${(bytes / 1e9).toFixed(1)} GB`;
  const about = { section: "Terminal", name: "stored sandboxes", detail: `${size} in ${folder}` } as const;
  if (bytes <= disk_warning_gb * 1e9) return [{ ...about, state: "ok" }];
  const hint = `That is more than terminal.disk_warning_gb (${disk_warning_gb}). Remove the folders of tasks you no longer need.`;
  return [{ ...about, state: "warning", hint }];
}

async function measure(folder: string, signal: AbortSignal) {
  const waiting = [folder];
  let [bytes, entries] = [0, 0];
  for (let next = waiting.pop(); next !== undefined && entries < mostEntries; next = waiting.pop()) {
    signal.throwIfAborted();
    const opened = await opendir(next).catch(() => undefined);
    if (opened === undefined) continue;
    for await (const entry of opened) {
      entries += 1;
      const file = path.join(next, entry.name);
      if (entry.isDirectory()) waiting.push(file);
      // What is on the disk, not what it would be unfolded.
      else if (entry.isFile())
        bytes += await stat(file).then(
          ({ blocks }) => blocks * 512,
          () => 0,
        );
    }
  }
  return { bytes, isWhole: waiting.length === 0 };
}
