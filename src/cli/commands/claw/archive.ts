import { constants } from "node:fs";
import { copyFile, lstat, mkdir } from "node:fs/promises";
import path from "node:path";
import { writeFileAtomic } from "#foundation/files/files";
import { isRecord } from "#foundation/text/json";
import { isFolder, namesIn, type OldHome, readOldJson } from "./old-home.ts";
import type { Area, Migration, Step } from "./step.ts";

/** Also what is copied is meant to be read by somebody. */
export const maxDocumentBytes = 1024 * 1024;
const maxFiles = 500;

/** Workspace files that OpenClaw reads and Hermes does not. */
const workspaceFiles: Readonly<Record<string, string>> = {
  "IDENTITY.md": "name and looks have no file here; put what matters into SOUL.md",
  "TOOLS.md": "notes about tools have no file here; an AGENTS.md can hold them",
  "HEARTBEAT.md": "there is no heartbeat here",
  "BOOT.md": "read it first; in the home it is carried out whenever the gateway starts",
};

/** What has no place here, kept to review by hand. */
export async function planArchive(migration: Migration): Promise<readonly Step[]> {
  const { old, wanted } = migration;
  const steps: Step[] = [];
  for (const [name, why] of Object.entries(workspaceFiles)) {
    const file = path.join(old.workspace, name);
    if (await isPlainFile(file)) steps.push(archiveFile(migration, { file, as: `workspace/${name}`, why }));
  }
  steps.push(...(await dailyNotes(migration)));
  if (wanted.preset === "full") {
    const jobs = path.join(old.root, "cron", "jobs.json");
    if (await isPlainFile(jobs))
      steps.push(
        archiveMasked(migration, { file: jobs, as: "cron/jobs.json", why: "schedules have to be created again here" }),
      );
    if (old.configFile !== undefined)
      steps.push(
        archiveMasked(migration, {
          file: old.configFile,
          as: path.basename(old.configFile),
          why: "the other settings, to review by hand; credentials are masked in the copy",
        }),
      );
  }
  return [...steps, ...(await leftBehind(old))];
}

export interface ArchiveRequest {
  readonly area?: Area;
  readonly file: string;
  /** Path below the archive. */
  readonly as: string;
  readonly why: string;
}

export function archiveFile({ folder }: Migration, wanted: ArchiveRequest): Step {
  return {
    area: wanted.area ?? "other",
    item: wanted.as,
    kind: "archive",
    why: wanted.why,
    apply: async () => {
      const target = path.join(folder, "archive", wanted.as);
      await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
      await copyFile(wanted.file, target, constants.COPYFILE_EXCL);
    },
  };
}

/** A copy without the values that are credentials. */
function archiveMasked({ folder, redact }: Migration, wanted: ArchiveRequest): Step {
  return {
    area: "other",
    item: wanted.as,
    kind: "archive",
    why: wanted.why,
    apply: async () => {
      const target = path.join(folder, "archive", wanted.as);
      const value = maskCredentials((await readOldJson(wanted.file)) ?? {});
      await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
      await writeFileAtomic(target, `${redact(JSON.stringify(value, undefined, 2))}\n`, { mode: 0o600 });
    },
  };
}

const credentialName = /token|secret|password|passphrase|credential|api_?key|^key$|private|cookie|authorization/i;

/** By the names of the fields; whole blocks of variables and headers, because their names are anybody's. */
export function maskCredentials(value: unknown, name = ""): unknown {
  if (typeof value === "string") return credentialName.test(name) && value !== "" ? "***" : value;
  if (Array.isArray(value)) return value.map((one) => maskCredentials(one, name));
  if (!isRecord(value)) return value;
  const isOpenEnded = /^(?:env|vars|headers)$/i.test(name);
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      isOpenEnded && typeof child === "string" ? "***" : maskCredentials(child, key),
    ]),
  );
}

async function dailyNotes(migration: Migration): Promise<readonly Step[]> {
  const folder = path.join(migration.old.workspace, "memory");
  const why = "notes of single days do not fit into the notes here";
  const steps: Step[] = [];
  for (const name of (await namesIn(folder)).filter((one) => one.endsWith(".md")).slice(0, maxFiles)) {
    const file = path.join(folder, name);
    if (await isPlainFile(file)) steps.push(archiveFile(migration, { area: "notes", file, as: `memory/${name}`, why }));
  }
  return steps;
}

/** Said, so that nobody looks for it here. */
async function leftBehind(old: OldHome): Promise<readonly Step[]> {
  const locations: readonly (readonly [string, string])[] = [
    ["agents", "conversations are not imported"],
    ["credentials", "logins are not imported; log in again with: hermes auth add"],
  ];
  const steps = [...(await unreadable(old))];
  for (const [name, why] of locations)
    if (await isFolder(path.join(old.root, name))) steps.push({ area: "other", item: `${name}/`, kind: "skip", why });
  return steps;
}

/** Documents that are there but were not read. */
async function unreadable({ workspace }: OldHome): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const name of ["SOUL.md", "AGENTS.md", "MEMORY.md", "USER.md", ...Object.keys(workspaceFiles)]) {
    const found = await lstat(path.join(workspace, name)).catch(() => undefined);
    if (found === undefined || (found.isFile() && found.size <= maxDocumentBytes)) continue;
    const why = found.isFile() ? "it is too large" : "it is not a plain file, and links are not followed";
    steps.push({ area: "other", item: `workspace/${name}`, kind: "skip", why });
  }
  return steps;
}

async function isPlainFile(file: string): Promise<boolean> {
  const found = await lstat(file).catch(() => undefined);
  return found?.isFile() === true && found.size <= maxDocumentBytes;
}
