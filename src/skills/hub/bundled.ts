import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { UserError } from "#foundation/errors";
import { readTextFile, withFileLock, writeFileAtomic } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { findSkillFiles, folderNameOf, stampOf } from "../library/discover.ts";
import { copyFolder, hashFolder, swapFolder } from "../library/folders.ts";

/** What happened to each shipped skill, by name. */
export interface SyncReport {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  /** Changed by the user, or a skill of their own of that name. */
  readonly kept: readonly string[];
  /** Deleted by the user and not brought back. */
  readonly absent: readonly string[];
}

interface Shipped {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Copies the shipped skills into the user's folder. `.bundled_manifest` remembers the hash each copy had:
 * an unchanged copy is updated, a changed one is the user's, and a deleted one stays deleted.
 */
export async function syncBundledSkills(
  shippedFolder: string,
  home: HermesHome,
  signal: AbortSignal,
): Promise<SyncReport> {
  return await withManifest(home, signal, async (manifest) => {
    const report = { added: [] as string[], updated: [] as string[], kept: [] as string[], absent: [] as string[] };
    for (const shipped of await shippedSkills(shippedFolder, home, signal)) {
      const outcome = await syncOne(shipped, manifest, home);
      if (outcome !== "current") report[outcome].push(shipped.name);
    }
    await copyDescriptions(shippedFolder, home, signal);
    return report;
  });
}

async function syncOne(
  { name, from, to }: Shipped,
  manifest: Map<string, string>,
  home: HermesHome,
): Promise<keyof SyncReport | "current"> {
  const recorded = manifest.get(name);
  const [present, shipped] = await Promise.all([hashFolder(to), hashFolder(from)]);
  if (shipped === undefined) return "current";
  if (present === undefined) {
    if (recorded !== undefined) return "absent";
    await location({ name, from, to }, home);
    manifest.set(name, shipped);
    return "added";
  }
  if (present === shipped) {
    manifest.set(name, shipped);
    return "current";
  }
  if (recorded !== present) return "kept";
  await location({ name, from, to }, home);
  manifest.set(name, shipped);
  return "updated";
}

/** Copied beside its place first, so that a crash leaves the old skill or the new one. */
async function location({ name, from, to }: Shipped, home: HermesHome): Promise<void> {
  const staging = home.at("skills", `.staging-${name}`);
  await copyFolder(from, staging);
  await swapFolder(staging, to);
}

/**
 * Forgets that a shipped skill was changed or deleted: with `restore` the shipped text replaces it,
 * without it the present text counts as unchanged, so that updates come again.
 */
export async function resetBundledSkill(
  wanted: { readonly name: string; readonly restore: boolean; readonly shippedFolder: string },
  home: HermesHome,
  signal: AbortSignal,
): Promise<"restored" | "rebaselined"> {
  return await withManifest(home, signal, async (manifest) => {
    const shipped = (await shippedSkills(wanted.shippedFolder, home, signal)).find((one) => one.name === wanted.name);
    if (shipped === undefined)
      throw new UserError(`${wanted.name} is not one of the shipped skills.`, { code: "skill_not_bundled" });
    const present = await hashFolder(shipped.to);
    if (!wanted.restore && present !== undefined) {
      manifest.set(wanted.name, present);
      return "rebaselined";
    }
    await location(shipped, home);
    manifest.set(wanted.name, (await hashFolder(shipped.to)) ?? "");
    return "restored";
  });
}

/** Names of the skills that came with Hermes and are still there. */
export async function bundledNames(home: HermesHome): Promise<ReadonlySet<string>> {
  return new Set((await readManifest(manifestFile(home))).keys());
}

async function shippedSkills(folder: string, home: HermesHome, signal: AbortSignal): Promise<readonly Shipped[]> {
  const { skills } = await findSkillFiles([{ path: folder, origin: "external" }], signal);
  return skills.map(({ path }) => {
    const from = dirname(path);
    return { name: folderNameOf(path), from, to: join(home.skills, relative(folder, from)) };
  });
}

async function copyDescriptions(folder: string, home: HermesHome, signal: AbortSignal): Promise<void> {
  const { descriptions } = await findSkillFiles([{ path: folder, origin: "external" }], signal);
  for (const { path } of descriptions) {
    const to = join(home.skills, relative(folder, path));
    if (stampOf(to) !== undefined) continue;
    await mkdir(dirname(to), { recursive: true });
    await copyFile(path, to);
  }
}

function manifestFile(home: HermesHome): string {
  return home.at("skills", ".bundled_manifest");
}

async function withManifest<T>(
  home: HermesHome,
  signal: AbortSignal,
  work: (manifest: Map<string, string>) => Promise<T>,
): Promise<T> {
  const file = manifestFile(home);
  return await withFileLock(
    home.at("skills", ".edit.lock"),
    async () => {
      const manifest = await readManifest(file);
      const before = writeManifest(manifest);
      try {
        return await work(manifest);
      } finally {
        // Also after a failure in the middle: what was copied must be known as copied.
        const after = writeManifest(manifest);
        if (after !== before) await writeFileAtomic(file, after);
      }
    },
    { signal },
  );
}

/** Lines `name:hash`; older ones without a hash mean a copy whose state is unknown, which is left alone. */
async function readManifest(file: string): Promise<Map<string, string>> {
  const text = (await readTextFile(file, { maxBytes: 1_048_576 })) ?? "";
  const manifest = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [name = "", hash = ""] = line.trim().split(":");
    if (name !== "") manifest.set(name, hash);
  }
  return manifest;
}

function writeManifest(manifest: ReadonlyMap<string, string>): string {
  return [...manifest]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, hash]) => `${name}:${hash}\n`)
    .join("");
}
