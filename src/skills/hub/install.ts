import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import { ensureDir, withFileLock } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import type { Clock } from "#foundation/time/clock";
import { decide } from "../guard/policy.ts";
import { type GuardReport, scanFolder } from "../guard/scan.ts";
import { hashFiles, hashFolder, swapFolder } from "../library/folders.ts";
import type { SkillLibrary } from "../library/library.ts";
import { readSkillText } from "../library/skill.ts";
import { categoryFault, createdNameFault } from "../tools/skill-paths.ts";
import { writeAudit } from "./audit-log.ts";
import { writeBundle } from "./bundle.ts";
import type { HubLock, LockEntry } from "./lockfile.ts";
import type { SkillBundle } from "./source.ts";

export interface InstallDeps {
  readonly home: HermesHome;
  readonly clock: Clock;
  readonly lock: HubLock;
  readonly library: SkillLibrary;
}

export interface InstallOptions {
  readonly bundle: SkillBundle;
  readonly category?: string;
  readonly isForced: boolean;
  /** The person agreed that their own changes to an installed copy are lost. */
  readonly overwritesChanges: boolean;
  readonly signal: AbortSignal;
}

export type InstallOutcome =
  | { readonly kind: "installed" | "updated"; readonly entry: LockEntry; readonly report: GuardReport }
  | { readonly kind: "blocked"; readonly report: GuardReport; readonly reason: string; readonly canForce: boolean };

/** Quarantine, scan, decision, move, lock, audit: a download becomes a skill, or nothing of it stays. */
export async function installBundle(deps: InstallDeps, wanted: InstallOptions): Promise<InstallOutcome> {
  const { home, library } = deps;
  const { bundle, signal } = wanted;
  const name = await checkedName(bundle);
  const quarantine = home.at("skills", ".hub", "quarantine", `${name}-${randomBytes(6).toString("hex")}`);
  try {
    await ensureDir(quarantine, 0o700);
    await writeBundle(bundle.files, quarantine);
    const report = await scanFolder(quarantine);
    const decision = decide(bundle.entry.trust, report.verdict, { isForced: wanted.isForced });
    if (decision.kind !== "allow") {
      await audit(deps, wanted, { action: "block", name, report });
      return {
        kind: "blocked",
        report,
        reason: decision.reason,
        canForce: decision.kind === "block" && decision.canForce,
      };
    }
    signal.throwIfAborted();
    const outcome = await withFileLock(
      home.at("skills", ".edit.lock"),
      () => moveIn(deps, wanted, { name, quarantine, report }),
      { signal },
    );
    await library.invalidate();
    return outcome;
  } finally {
    await rm(quarantine, { recursive: true, force: true });
  }
}

/** The name decides where a download lands, so it is held to the rules for new skills. */
async function checkedName(bundle: SkillBundle): Promise<string> {
  const bytes = bundle.files.get("SKILL.md");
  if (bytes === undefined) throw refused(bundle, "it has no SKILL.md");
  const { facts, problems } = await readSkillText(new TextDecoder().decode(bytes), bundle.entry.name);
  if (problems.length > 0) throw refused(bundle, problems.join("; "));
  const name = facts.name.toLowerCase().replace(/\s+/g, "-");
  const fault = createdNameFault(name);
  if (fault !== undefined) throw refused(bundle, fault);
  return name;
}

function refused(bundle: SkillBundle, reason: string): UserError {
  return new UserError(`${bundle.entry.identifier} is not a usable skill: ${reason}.`, { code: "skill_invalid" });
}

async function moveIn(
  deps: InstallDeps,
  wanted: InstallOptions,
  ready: { readonly name: string; readonly quarantine: string; readonly report: GuardReport },
): Promise<InstallOutcome> {
  const { name, quarantine, report } = ready;
  const known = (await deps.lock.all()).get(name);
  if (wanted.category !== undefined) {
    const fault = categoryFault(wanted.category);
    if (fault !== undefined) throw new UserError(`Cannot install there: ${fault}.`, { code: "skill_category_invalid" });
  }
  const isSame = known?.identifier === wanted.bundle.entry.identifier;
  const installPath = isSame
    ? known.installPath
    : [wanted.category, name].filter((part) => part !== undefined).join("/");
  if (isSame && !wanted.overwritesChanges) await refuseChanged(deps, known);
  if (!isSame) await refuseTaken(deps, name, wanted.signal);
  await swapFolder(quarantine, join(deps.home.skills, installPath));
  const now = new Date(deps.clock.now()).toISOString();
  const entry: LockEntry = {
    name,
    source: wanted.bundle.entry.source,
    identifier: wanted.bundle.entry.identifier,
    trust: wanted.bundle.entry.trust,
    verdict: report.verdict,
    contentHash: hashFiles(wanted.bundle.files),
    installPath,
    files: [...wanted.bundle.files.keys()].sort(),
    ...defined({ revision: wanted.bundle.revision }),
    installedAt: isSame ? known.installedAt : now,
    updatedAt: now,
  };
  await deps.lock.put(entry);
  await audit(deps, wanted, { action: isSame ? "update" : "install", name, report });
  return { kind: isSame ? "updated" : "installed", entry, report };
}

/** A copy the user changed is theirs; a missing one is simply installed again. */
async function refuseChanged(deps: InstallDeps, known: LockEntry): Promise<void> {
  const present = await hashFolder(join(deps.home.skills, known.installPath));
  if (present === undefined || present === known.contentHash) return;
  throw new UserError(`${known.name} was changed here since it was installed.`, {
    hint: "Use --force to replace it with the version from the hub.",
    code: "skill_changed",
  });
}

async function refuseTaken(deps: InstallDeps, name: string, signal: AbortSignal): Promise<void> {
  const { everything } = await deps.library.catalogue(signal);
  const taken = everything.find(
    (one) => one.origin === "local" && (one.name === name || one.folder.endsWith(`/${name}`)),
  );
  if (taken === undefined) return;
  throw new UserError(`A skill called ${name} exists already at ${taken.folder}.`, {
    hint: `Remove it first with: hermes skills uninstall ${name}`,
    code: "skill_exists",
  });
}

async function audit(
  deps: InstallDeps,
  wanted: InstallOptions,
  what: { readonly action: "install" | "update" | "block"; readonly name: string; readonly report: GuardReport },
): Promise<void> {
  const { entry } = wanted.bundle;
  await writeAudit(deps.home, deps.clock, {
    action: what.action,
    skill: what.name,
    source: entry.source,
    identifier: entry.identifier,
    trust: entry.trust,
    verdict: what.report.verdict,
    isForced: wanted.isForced,
    reasons: what.report.findings
      .filter((one) => one.severity !== "notice")
      .map((one) => `${one.id} ${one.file}`)
      .slice(0, 20),
  });
}

/** Whether an installed skill is still what was installed. */
export async function isChanged(home: HermesHome, entry: LockEntry): Promise<boolean> {
  return (await hashFolder(join(home.skills, entry.installPath))) !== entry.contentHash;
}
