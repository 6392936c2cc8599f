import path from "node:path";
import { ensureDir } from "#foundation/files/files";

/** The part of Playwright's download that is used. */
export interface LiveDownload {
  suggestedFilename(): string;
  saveAs(path: string): Promise<void>;
}

/** Saves a download under a name that cannot leave the folder, nor replace what is there. */
export async function keepDownload(download: LiveDownload, folder: string, nowMs: number): Promise<string> {
  const clean = path
    .basename(download.suggestedFilename().replaceAll("\\", "/"))
    .replace(/[^\w.() -]+/g, "_")
    .replace(/^\.+/, "")
    .slice(-120);
  await ensureDir(folder, 0o700);
  const target = path.join(folder, `${nowMs.toString(36)}-${clean === "" ? "download" : clean}`);
  await download.saveAs(target);
  return target;
}
