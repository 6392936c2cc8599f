import path from "node:path";
import { isRecord } from "#foundation/text/json";
import { systemClock } from "#foundation/time/clock";
import {
  type ForeignSkill,
  type InstalledSkill,
  isSameSkill,
  readForeignSkill,
  renamedSkill,
  SkillTrash,
  writeForeignSkill,
} from "#skills";
import { openSkillHub } from "../../support/skills.ts";
import { writeArchivedSkill } from "./archived-skill.ts";
import { isFolder, namesIn, readOldJson } from "./old-home.ts";
import type { Migration, Step } from "./step.ts";

/** Where skills that came from there lie here. */
const category = "openclaw-imports";

type Skill = Extract<ForeignSkill, { kind: "skill" }>;

/** Skills of the workspace, then those OpenClaw manages; of two with one name the first counts, as there. */
export async function planSkills(migration: Migration): Promise<readonly Step[]> {
  const { old, invocation } = migration;
  const { library } = await openSkillHub(invocation);
  const { everything } = await library.catalogue(invocation.io.signal);
  const taken = new Map(everything.map((one) => [one.name, one]));
  const seen = new Set<string>();
  const steps: Step[] = [];
  for (const root of [path.join(old.workspace, "skills"), path.join(old.root, "skills")]) {
    const fromHub = await hubSkills(path.dirname(root));
    for (const name of await namesIn(root)) {
      const folder = path.join(root, name);
      if (name.startsWith(".") || !(await isFolder(folder))) continue;
      const item = { area: "skills", item: name } as const;
      // What a stranger wrote is held to more than what grew here.
      const isStrangers = fromHub.has(name) || (await namesIn(folder)).includes(".clawhub");
      const skill = await readForeignSkill(folder, isStrangers ? "community" : "agent-created");
      if (skill.kind === "unusable") steps.push({ ...item, kind: "skip", why: skill.reason });
      else if (seen.has(skill.name)) steps.push({ ...item, kind: "skip", why: "the workspace has one of that name" });
      else steps.push(await planSkill(migration, skill, taken));
      if (skill.kind === "skill") seen.add(skill.name);
    }
  }
  return steps;
}

/** What the lock file of its hub names. */
async function hubSkills(folder: string): Promise<ReadonlySet<string>> {
  const lock = await readOldJson(path.join(folder, ".clawhub", "lock.json"));
  const skills = lock?.["skills"];
  return new Set(isRecord(skills) ? Object.keys(skills) : []);
}

async function planSkill(
  migration: Migration,
  skill: Skill,
  taken: ReadonlyMap<string, InstalledSkill>,
): Promise<Step> {
  const { home, wanted } = migration;
  const { name, report, decision, files } = skill;
  const item = { area: "skills", item: name } as const;
  const doubts = [...new Set(report.findings.filter((one) => one.severity !== "notice").map((one) => one.says))];
  if (decision.kind !== "allow")
    return {
      ...item,
      kind: "archive",
      why: `the guard refuses it: ${decision.reason} (${doubts.slice(0, 3).join("; ")})`,
      apply: () => writeArchivedSkill(migration, name, files),
    };
  const note = doubts.length === 0 ? {} : { note: `look at it: it ${doubts.slice(0, 3).join("; ")}` };
  const location = (as: string) => ({ home, category, name: as });
  const existing = taken.get(name);
  const take = (as: string, apply: (signal: AbortSignal) => Promise<void>): Step => ({
    ...item,
    kind: "take",
    into: path.join(home.skills, category, as),
    ...note,
    apply,
  });
  if (existing === undefined)
    return take(name, async (signal) => void (await writeForeignSkill(files, location(name), signal)));
  if (await isSameSkill(files, existing.folder)) return { ...item, kind: "skip", why: "it is the same here" };
  if (wanted.skillConflict === "skip")
    return { ...item, kind: "conflict", why: "there is one of that name; see --skill-conflict" };
  if (wanted.skillConflict === "rename") {
    const free = freeName(name, taken);
    return take(free, async (signal) => {
      await writeForeignSkill(renamedSkill(files, free), location(free), signal);
    });
  }
  if (existing.origin !== "local")
    return { ...item, kind: "conflict", why: `the one of that name is not ours to replace: ${existing.folder}` };
  return take(name, async (signal) => {
    await new SkillTrash(home, systemClock).put(existing.folder);
    await writeForeignSkill(files, location(name), signal);
  });
}

function freeName(name: string, taken: ReadonlyMap<string, InstalledSkill>): string {
  for (let number = 1; ; number += 1) {
    const candidate = `${name}-${number === 1 ? "imported" : `imported-${number}`}`;
    if (!taken.has(candidate)) return candidate;
  }
}
