import { chmod, stat } from "node:fs/promises";
import { prepareHome } from "#config";
import { systemErrorCode } from "#foundation/errors";
import { ensureDir } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import type { Check, Examine } from "./check.ts";

const section = "Files";

/** Folders, permissions, and whether anybody else can read a credential. */
export const examineFiles: Examine = async ({ invocation, parts }) => {
  const { home } = parts;
  const { env } = invocation.io;
  const mode = await modeOf(home.root);
  if (mode === undefined) {
    return [
      {
        section,
        name: home.root,
        state: "warning",
        detail: "not there yet",
        hint: "It is created on first use.",
        fix: async () => {
          await prepareHome(home, env);
          return `${home.root} made`;
        },
      },
    ];
  }
  // Those of memory and of jobs come with the first note and the first job.
  const folders = [home.sessions, home.skills, home.logs];
  const missing = (
    await Promise.all(folders.map(async (folder) => ((await modeOf(folder)) === undefined ? [folder] : [])))
  ).flat();
  return [
    { section, name: home.root, state: "ok", isSecurity: true },
    ...missing.map(
      (folder): Check => ({
        section,
        name: folder,
        state: "warning",
        detail: "not there",
        fix: async () => {
          await ensureDir(folder, 0o700);
          return `${folder} made`;
        },
      }),
    ),
    ...(await secretFiles(home)),
  ];
};

async function secretFiles(home: HermesHome): Promise<readonly Check[]> {
  const files = [home.envFile, home.authFile, home.anthropicOauth, home.googleOauth, home.configBackup, home.stateDb];
  const checks: Check[] = [];
  for (const file of files) {
    const mode = await modeOf(file);
    if (mode === undefined || process.platform === "win32") continue;
    const isOpen = (mode & 0o077) !== 0;
    checks.push({
      section,
      name: file,
      state: isOpen ? (file === home.stateDb ? "warning" : "failed") : "ok",
      isSecurity: true,
      ...(isOpen
        ? {
            detail: `others may read it (mode ${(mode & 0o777).toString(8)})`,
            hint: `Run: chmod 600 ${file}`,
            fix: async () => {
              await chmod(file, 0o600);
              return `${file} is for its owner only`;
            },
          }
        : {}),
    });
  }
  return checks;
}

async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
