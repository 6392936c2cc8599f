import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { systemErrorCode } from "#foundation/errors";
import type { HermesHome } from "#foundation/files/paths";
import type { TrustedFolders } from "../trust.ts";
import type { ConfigWarning } from "../warning.ts";
import { credentialVariables } from "./environment/provider-variables.ts";
import { environmentVariables } from "./environment/table.ts";
import { type Environment, readEnvFile, withoutStrayCharacters } from "./variables.ts";

interface Project {
  readonly cwd: string;
  readonly home: HermesHome;
  readonly trust: TrustedFolders;
}

/**
 * The variables with those that the `.env` of a project adds. Whoever wrote the project wrote that file, so it counts only in a folder
 * that a person trusts, fills gaps only, and gives keys only: no program, no address, nothing that a loader, an interpreter or a
 * setting of Hermes reads. What is left out is said by name.
 */
export async function withProjectFile(environment: Environment, project: Project): Promise<Environment> {
  const path = join(project.cwd, ".env");
  if (!existsSync(path) || isSameFile(path, project.home.envFile)) return environment;
  const file = await readEnvFile(path, { repair: false });
  const names = Object.keys(file.variables);
  if (!project.trust.isTrusted(project.cwd))
    return { ...environment, warnings: [...environment.warnings, ...untrusted(path, names)] };
  const added = withoutStrayCharacters(
    Object.fromEntries(
      Object.entries(file.variables).filter(
        ([name]) => mayComeFromProject(name) && environment.variables[name] === undefined,
      ),
    ),
  );
  return {
    variables: { ...environment.variables, ...added.variables },
    originOf: (name) =>
      environment.originOf(name) ?? (Object.hasOwn(added.variables, name) ? "project-file" : undefined),
    warnings: [...environment.warnings, ...file.warnings, ...added.warnings, ...refused(path, names)],
  };
}

/** Names with a meaning of their own, whatever they end with. */
const reserved =
  /^(?:HERMES|TERMINAL|GATEWAY|TOOL_GATEWAY|AUXILIARY|SUDO|NODE|NPM|LD|DYLD|PYTHON\w*|GIT|BASH|SSH)(?:_|$)/;

const settingNames: ReadonlySet<string> = new Set(
  environmentVariables.flatMap((variable) => ("key" in variable ? [variable.name] : [])),
);

const credentials: ReadonlySet<string> = new Set(credentialVariables);

/** Keys of services and nothing else. */
function mayComeFromProject(name: string): boolean {
  if (reserved.test(name) || settingNames.has(name)) return false;
  return credentials.has(name) || /^[A-Z][A-Z0-9_]*_API_KEY$/.test(name);
}

/** What Hermes or the programs it starts would read; the other variables of a project are not its business. */
const isMeantForUs = (name: string): boolean =>
  reserved.test(name) || mayComeFromProject(name) || environmentVariables.some((variable) => variable.name === name);

function untrusted(path: string, names: readonly string[]): readonly ConfigWarning[] {
  const meant = names.filter(isMeantForUs);
  if (meant.length === 0) return [];
  return [
    {
      kind: "trust",
      severity: "warning",
      message: `This folder is not trusted, so its .env does not count (${listed(meant)}).`,
      hint: "If it is yours: hermes trust add, or --trust-folder for one run.",
      file: path,
    },
  ];
}

function refused(path: string, names: readonly string[]): readonly ConfigWarning[] {
  const meant = names.filter((name) => isMeantForUs(name) && !mayComeFromProject(name));
  if (meant.length === 0) return [];
  return [
    {
      kind: "trust",
      severity: "warning",
      message: `A project cannot set ${listed(meant)}; its .env can only give API keys.`,
      hint: "What you want for yourself belongs in the .env of your home: hermes config env-path",
      file: path,
    },
  ];
}

/** Names somebody else chose: not too many and not too long. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, 8).map((name) => (name.length > 60 ? `${name.slice(0, 60)}…` : name));
  const more = names.length - shown.length;
  return more === 0 ? shown.join(", ") : `${shown.join(", ")} and ${more} more`;
}

function isSameFile(left: string, right: string): boolean {
  try {
    return existsSync(right) && realpathSync.native(left) === realpathSync.native(right);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return false;
  }
}
