import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "#foundation/errors";
import { ensureDir, withFileLock } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { type Decision, decide, type TrustLevel } from "../guard/policy.ts";
import { type GuardReport, scanTree } from "../guard/scan.ts";
import { readSkillTree, treeOfFiles } from "../guard/skill-tree.ts";
import { hashFiles, hashFolder, swapFolder } from "../library/folders.ts";
import { readSkillText } from "../library/skill.ts";
import { createdNameFault } from "../tools/skill-paths.ts";
import { BundleFiles, writeBundle } from "./bundle.ts";

/** A skill that lies in the folder of another program, read and judged; what was judged is what is written. */
export type ForeignSkill =
  | {
      readonly kind: "skill";
      readonly name: string;
      readonly files: ReadonlyMap<string, Uint8Array>;
      readonly report: GuardReport;
      readonly decision: Decision;
    }
  | { readonly kind: "unusable"; readonly reason: string };

/** Kept by other programs about a skill; no part of it. */
const keptByOthers = /^(?:\.git|\.clawhub|\.clawdhub)\/|(?:^|\/)\.DS_Store$/;

/** Reads a skill from a folder. Links in it are left out: they would lead to what was not judged. */
export async function readForeignSkill(folder: string, trust: TrustLevel): Promise<ForeignSkill> {
  const bundle = new BundleFiles();
  try {
    for (const { path, bytes, size } of (await readSkillTree(folder)).files) {
      if (keptByOthers.test(path)) continue;
      if (size > bytes.length) return { kind: "unusable", reason: `${path} is too large` };
      bundle.add(path, bytes);
    }
  } catch (error) {
    return { kind: "unusable", reason: describe(error) };
  }
  const { files } = bundle;
  const main = files.get("SKILL.md");
  if (main === undefined) return { kind: "unusable", reason: "it has no SKILL.md" };
  const { facts, problems } = await readSkillText(new TextDecoder().decode(main), folder.split("/").at(-1) ?? "");
  if (problems.length > 0) return { kind: "unusable", reason: problems.join("; ") };
  const name = facts.name.toLowerCase().replace(/\s+/g, "-");
  const fault = createdNameFault(name);
  if (fault !== undefined) return { kind: "unusable", reason: fault };
  const report = await scanTree(treeOfFiles(files));
  return { kind: "skill", name, files, report, decision: decide(trust, report.verdict, { isForced: false }) };
}

/** Whether a folder holds just these files. */
export async function isSameSkill(files: ReadonlyMap<string, Uint8Array>, folder: string): Promise<boolean> {
  return (await hashFolder(folder)) === hashFiles(files);
}

/** The same skill under another name. */
export function renamedSkill(files: ReadonlyMap<string, Uint8Array>, name: string): ReadonlyMap<string, Uint8Array> {
  const text = new TextDecoder().decode(files.get("SKILL.md"));
  const head = /^---\r?\n[\s\S]*?\r?\n---/.exec(text)?.[0] ?? "";
  const renamed = /^name:/m.test(head) ? head.replace(/^name:.*$/m, `name: ${name}`) : head;
  return new Map(files).set("SKILL.md", new TextEncoder().encode(`${renamed}${text.slice(head.length)}`));
}

/** Writes a skill below the home in one step; says where. */
export async function writeForeignSkill(
  files: ReadonlyMap<string, Uint8Array>,
  { home, category, name }: { readonly home: HermesHome; readonly category: string; readonly name: string },
  signal: AbortSignal,
): Promise<string> {
  const ready = home.at("skills", ".hub", "quarantine", `${name}-${randomBytes(6).toString("hex")}`);
  const target = join(home.skills, category, name);
  try {
    await ensureDir(ready, 0o700);
    await writeBundle(files, ready);
    await withFileLock(home.at("skills", ".edit.lock"), () => swapFolder(ready, target), { signal });
  } finally {
    await rm(ready, { recursive: true, force: true });
  }
  return target;
}
