import { resolveInside } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { stampOf } from "../library/discover.ts";
import type { InstalledSkill } from "../library/library.ts";
import type { RequiredVariable } from "../library/skill.ts";

/** What is asked of a person before a skill can be used. The value goes to the `.env` file and never to the model. */
export interface SecretRequest {
  readonly skill: string;
  readonly variable: RequiredVariable;
}

export interface SetupDeps {
  readonly home: HermesHome;
  /** Whether a variable has a value, in the environment or in the user's `.env`. Never gives the value. */
  readonly isSet: (name: string) => boolean;
  /** Whether a program is on the PATH. */
  readonly hasCommand: (name: string) => boolean;
  /** Asks at a local terminal; absent on messaging surfaces. False: the person skipped it; undefined: nobody is there. */
  readonly askSecret?: (request: SecretRequest, signal: AbortSignal) => Promise<boolean | undefined>;
}

/** How ready a skill is after what could be asked was asked. */
export interface Setup {
  readonly missingVariables: readonly RequiredVariable[];
  readonly missingFiles: readonly string[];
  readonly missingCommands: readonly string[];
  /** Variables that are set: they may be passed on. */
  readonly presentVariables: readonly string[];
  /** Absolute paths of credential files that exist. */
  readonly presentFiles: readonly string[];
  readonly isNeeded: boolean;
  /** The person was asked and gave nothing. */
  readonly wasSkipped: boolean;
}

export async function checkSetup(skill: InstalledSkill, deps: SetupDeps, signal: AbortSignal): Promise<Setup> {
  const { facts } = skill;
  const wasSkipped = await askForMissing(skill, deps, signal);
  const files = await Promise.all(facts.credentialFiles.map((file) => existingFile(deps.home, file.path)));
  const missingVariables = facts.variables.filter((one) => !deps.isSet(one.name));
  const missingFiles = facts.credentialFiles.filter((_, index) => files[index] === undefined).map((one) => one.path);
  return {
    missingVariables,
    missingFiles,
    missingCommands: facts.commands.filter((command) => !deps.hasCommand(command)),
    presentVariables: facts.variables.filter((one) => deps.isSet(one.name)).map((one) => one.name),
    presentFiles: files.filter((path) => path !== undefined),
    isNeeded: missingFiles.length > 0 || missingVariables.some((one) => !one.isOptional),
    wasSkipped,
  };
}

/** Only what is required is asked for; after the first refusal the rest is left alone. */
async function askForMissing(skill: InstalledSkill, deps: SetupDeps, signal: AbortSignal): Promise<boolean> {
  const ask = deps.askSecret;
  if (ask === undefined) return false;
  for (const variable of skill.facts.variables) {
    if (variable.isOptional || deps.isSet(variable.name)) continue;
    const input = await ask({ skill: skill.name, variable }, signal);
    if (input !== true) return input === false;
  }
  return false;
}

/** A declared path counts only below the Hermes home, so that no skill can have `~/.ssh` mounted. */
async function existingFile(home: HermesHome, path: string): Promise<string | undefined> {
  try {
    const real = await resolveInside(home.root, path);
    return stampOf(real) === undefined ? undefined : real;
  } catch {
    return undefined;
  }
}

/** What the model is told about missing pieces: names and where to get them, never values. */
export function setupNote(setup: Setup): string | undefined {
  if (!setup.isNeeded && setup.missingCommands.length === 0) return undefined;
  const parts: string[] = [];
  const required = setup.missingVariables.filter((one) => !one.isOptional).map((one) => one.name);
  if (required.length > 0) parts.push(`environment variables not set: ${required.join(", ")}`);
  if (setup.missingFiles.length > 0) parts.push(`credential files missing: ${setup.missingFiles.join(", ")}`);
  if (setup.missingCommands.length > 0) parts.push(`programs not found: ${setup.missingCommands.join(", ")}`);
  const advice = setup.wasSkipped
    ? "The user chose not to set this up now; work without it where the skill allows, and say what does not work."
    : "Parts of the skill that need these will not work until the user provides them.";
  return `Set-up is incomplete: ${parts.join("; ")}. ${advice}`;
}

/** Where each missing value comes from, in the skill author's words. */
export function setupHelp(setup: Setup): string | undefined {
  const lines = setup.missingVariables.flatMap((one) => {
    const words = [one.prompt, one.requiredFor === undefined ? undefined : `for ${one.requiredFor}`, one.help];
    const told = words.filter((word) => word !== undefined).join("; ");
    return told === "" ? [] : [`${one.name}: ${told}`];
  });
  return lines.length === 0 ? undefined : lines.join("\n");
}

/** For chats, where nobody may type a secret into the conversation. */
export function remoteSetupHint(setup: Setup): string | undefined {
  const names = setup.missingVariables.filter((one) => !one.isOptional).map((one) => one.name);
  if (names.length === 0) return undefined;
  return `Do not ask for these values in the chat. Tell the user to set ${names.join(", ")} on the machine Hermes runs on, with: hermes config set <NAME> <value>`;
}
