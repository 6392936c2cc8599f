import { writeFile } from "node:fs/promises";
import { describe } from "#foundation/errors";
import { ensureDir, readTextFile } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import { never } from "#foundation/lifecycle/abort";
import { syncBundledSkills } from "./bundled.ts";

export interface ShippedSkills {
  readonly folder: string | undefined;
  readonly version: string;
  readonly home: HermesHome;
  readonly logger: Logger;
}

/** Copies the skills that come with this version, once per version. Failing to is no reason not to start. */
export async function copyShippedSkills({ folder, version, home, logger }: ShippedSkills): Promise<void> {
  if (folder === undefined) return;
  const stamp = home.at("skills", ".bundled_version");
  try {
    if ((await readTextFile(stamp, { maxBytes: 1_000 }))?.trim() === version) return;
    await ensureDir(home.skills);
    const report = await syncBundledSkills(folder, home, never);
    await writeFile(stamp, `${version}\n`);
    logger.info("shipped skills copied", { added: report.added.length, updated: report.updated.length });
  } catch (error) {
    logger.warn("the shipped skills could not be copied", { error: describe(error) });
  }
}
