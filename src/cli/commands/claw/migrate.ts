import path from "node:path";
import { managedBy, managedError, prepareHome } from "#config";
import { describe, UserError } from "#foundation/errors";
import { ensureDir, writeFileAtomic } from "#foundation/files/files";
import { Redactor } from "#foundation/secrets/redact";
import { exitCodes, type Invocation } from "../../command.ts";
import { flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { agreed } from "../../support/ask.ts";
import { loadSettings } from "../../support/settings.ts";
import { usageError } from "../../usage-error.ts";
import { planArchive } from "./archive.ts";
import { planDocuments } from "./documents.ts";
import { planNotes } from "./notes.ts";
import { findOldHomes, isFolder, namesIn, openOldHome } from "./old-home.ts";
import { printResults, resultsDocument } from "./report.ts";
import { planSecrets } from "./secrets.ts";
import { planSettings } from "./settings.ts";
import { planSkills } from "./skills.ts";
import { expectedResult, type Migration, type MigrationOptions, type Step, type StepResult } from "./step.ts";

/** Looks, says what it would do, asks, does it. Nothing of the old home is changed. */
export async function clawMigrate(invocation: Invocation): Promise<number> {
  const root = await sourceOf(invocation);
  return await migrateFrom(root, invocation, requestOf(invocation));
}

export async function migrateFrom(root: string, invocation: Invocation, wanted: MigrationOptions): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  const isDry = hasFlag(invocation, "dry-run");
  const migration = await openMigration(root, invocation, wanted);
  const { home, old, folder } = migration;
  const manager = managedBy(home, io.env);
  if (!isDry && manager !== undefined) throw managedError(manager, home.config);
  for (const problem of old.problems) out.note(`Careful: ${problem}`);
  const steps = await planAll(migration);
  const plan = steps.map(expectedResult);
  const about = { source: old.root, workspace: old.workspace, home: home.root, dry_run: isDry };
  const work = steps.filter((step) => step.kind === "take" || step.kind === "archive");
  if (isDry || work.length === 0) {
    out.document({ ...about, ...resultsDocument(plan) });
    printResults(out, plan, { from: old.root, isPlan: true });
    out.line(work.length === 0 ? "There is nothing to import." : "Nothing was written. To do it: hermes claw migrate");
    return exitCodes.ok;
  }
  const isYes = hasFlag(invocation, "yes");
  if (!isYes) printResults(out, plan, { from: old.root, isPlan: true });
  if (!(await agreed(`Import this into ${home.root}?`, { io, isYes }))) {
    out.line("Nothing was written.");
    return exitCodes.failed;
  }
  await prepareHome(home, io.env);
  const results = await carryOut(steps, io.signal);
  await ensureDir(folder, 0o700);
  const report = path.join(folder, "report.json");
  const document = { ...about, report, ...resultsDocument(results) };
  await writeFileAtomic(report, `${JSON.stringify(document, undefined, 2)}\n`, { mode: 0o600 });
  out.document(document);
  printResults(out, results, { from: old.root, isPlan: false });
  out.line(`The report is ${report}`);
  out.line("When all is well, rename the old folder with: hermes claw cleanup");
  return results.some((one) => one.outcome === "failed") ? exitCodes.failed : exitCodes.ok;
}

async function sourceOf({ flags, io }: Invocation): Promise<string> {
  const input = typeof flags["source"] === "string" ? path.resolve(io.cwd, flags["source"]) : undefined;
  const [root] = input === undefined ? await findOldHomes(io.env) : (await isFolder(input)) ? [input] : [];
  if (root !== undefined) return root;
  throw new UserError(input === undefined ? "There is no OpenClaw home." : `There is no folder ${input}.`, {
    code: "openclaw_missing",
    hint: "Name the folder with: hermes claw migrate --source <folder>",
  });
}

function requestOf(invocation: Invocation): MigrationOptions {
  const target = flagText(invocation, "workspace-target");
  const preset = flagText(invocation, "preset") ?? "full";
  const skillConflict = flagText(invocation, "skill-conflict") ?? "skip";
  if (preset !== "full" && preset !== "user-data")
    throw usageError(`Invalid --preset: "${preset}".`, "Choose user-data or full.");
  if (skillConflict !== "skip" && skillConflict !== "overwrite" && skillConflict !== "rename")
    throw usageError(`Invalid --skill-conflict: "${skillConflict}".`, "Choose skip, overwrite or rename.");
  return {
    preset,
    skillConflict,
    overwrites: hasFlag(invocation, "overwrite"),
    takesSecrets: hasFlag(invocation, "migrate-secrets"),
    ...(target === undefined ? {} : { workspaceTarget: path.resolve(invocation.io.cwd, target) }),
  };
}

async function openMigration(root: string, invocation: Invocation, wanted: MigrationOptions): Promise<Migration> {
  // What is wrong with the settings here is said when the notes are opened.
  const settings = await loadSettings(invocation, { isQuiet: true });
  const old = await openOldHome(root, invocation.io.env);
  const redactor = new Redactor();
  for (const value of old.variables.values()) if (value.length >= 12) redactor.add(value);
  return {
    ...settings,
    invocation,
    old,
    wanted,
    folder: await freeFolder(settings.home.at("migration", "openclaw")),
    redact: (text) => redactor.redact(text),
  };
}

/** Named after the moment; two in one second lie side by side. */
async function freeFolder(parent: string): Promise<string> {
  const time = new Date().toISOString().slice(0, 19).replace(/[:T]/g, "-");
  const taken = new Set(await namesIn(parent));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? time : `${time}-${number}`;
    if (!taken.has(name)) return path.join(parent, name);
  }
}

async function planAll(migration: Migration): Promise<readonly Step[]> {
  const isFull = migration.wanted.preset === "full";
  return [
    ...(await planDocuments(migration)),
    ...(await planNotes(migration)),
    ...(await planSkills(migration)),
    ...(isFull ? await planSettings(migration) : []),
    ...(isFull || migration.wanted.takesSecrets ? await planSecrets(migration) : []),
    ...(await planArchive(migration)),
  ];
}

/** One after the other; what fails is said and does not keep the rest from moving. */
async function carryOut(steps: readonly Step[], signal: AbortSignal): Promise<readonly StepResult[]> {
  const results: StepResult[] = [];
  for (const step of steps) {
    signal.throwIfAborted();
    const expected = expectedResult(step);
    try {
      if (step.kind === "take" || step.kind === "archive") await step.apply(signal);
      results.push(expected);
    } catch (error) {
      signal.throwIfAborted();
      results.push({ ...expected, outcome: "failed", detail: describe(error) });
    }
  }
  return results;
}
