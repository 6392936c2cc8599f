import {
  type ConfigWarning,
  checkProxies,
  deadVariables,
  formatWarning,
  idleSettings,
  type LoadedConfig,
  migrateFile,
  removeSecrets,
} from "#config";
import { defined } from "#foundation/defined";
import { parseFallbackChain } from "#model";
import { editOptions } from "../../support/settings.ts";
import type { Check, Examine } from "./check.ts";

const section = "Configuration";

export const examineConfiguration: Examine = async ({ invocation, parts }) => {
  const { home, loaded } = parts;
  const variables = loaded.environment.variables;
  const options = editOptions(invocation, home);
  const dead = deadVariables(variables);
  const deadMessages = new Set(dead.map((one) => one.message));
  const problems = [...loaded.warnings, ...checkProxies(variables)].filter((one) => !deadMessages.has(one.message));
  const chain = parseFallbackChain(loaded.config);
  const checks: Check[] = problems.map(fromWarning);
  for (const one of dead) {
    const name = one.key ?? "";
    const isOurs = loaded.environment.originOf(name) === "home-file";
    checks.push({
      section,
      name: one.message,
      state: "warning",
      ...defined({ hint: one.hint }),
      ...(isOurs
        ? {
            fix: async () => {
              await removeSecrets([name], options);
              return `${name} removed from ${home.envFile}`;
            },
          }
        : {}),
    });
  }
  if (loaded.pendingMigrations.length > 0 && loaded.canWrite) {
    checks.push({
      section,
      name: "layout of the file",
      state: "warning",
      detail: `version ${loaded.fileVersion ?? "unknown"} is older`,
      hint: "Run: hermes config migrate",
      fix: async () => {
        const { backup } = await migrateFile(options);
        return `${home.config} updated to the current layout; the old file is ${backup ?? "unchanged"}`;
      },
    });
  }
  for (const warning of chain.warnings) checks.push({ section, name: "fallback", state: "warning", detail: warning });
  checks.push(...(await idle(loaded)));
  if (checks.length === 0) checks.push({ section, name: loaded.file, state: "ok", detail: "in order" });
  if (loaded.managedBy !== undefined)
    checks.push({ section, name: "managed by", state: "ok", detail: loaded.managedBy });
  return checks;
};

/** Keys that were written for nothing, together where the reason is the same. */
async function idle(loaded: LoadedConfig): Promise<readonly Check[]> {
  const found = await idleSettings(loaded);
  return [...new Set(found.map(({ reason }) => reason))].map((reason) => {
    const keys = found.filter((one) => one.reason === reason).map(({ key }) => key);
    return { section, name: `without effect: ${keys.join(", ")}`, state: "warning", detail: reason };
  });
}

function fromWarning(warning: ConfigWarning): Check {
  const { hint, ...rest } = warning;
  return {
    section,
    name: formatWarning(rest),
    state: warning.severity === "error" ? "failed" : "warning",
    ...defined({ hint }),
  };
}
