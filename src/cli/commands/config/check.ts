import { checkProxies, currentConfigVersion, deadVariables, formatWarning } from "#config";
import { exitCodes, type Invocation } from "../../command.ts";
import { snakeCase } from "../../output/json.ts";
import { Output } from "../../output/output.ts";
import { loadSettings } from "../../support/settings.ts";

/** Everything that is wrong with the settings; exit 4 when something set has no effect. */
export async function configCheck(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { loaded } = await loadSettings(invocation, { isQuiet: true });
  const { variables } = loaded.environment;
  const told = new Set(loaded.warnings.map((warning) => warning.message));
  const more = [...deadVariables(variables), ...checkProxies(variables)].filter((one) => !told.has(one.message));
  const problems = [...loaded.warnings, ...more];
  const isValid = problems.every((problem) => problem.severity !== "error");
  out.document({
    file: loaded.file,
    is_valid: isValid,
    read_from: loaded.readFrom,
    config_version: loaded.fileVersion ?? null,
    current_version: currentConfigVersion,
    pending_migrations: loaded.pendingMigrations,
    problems: snakeCase(problems),
  });
  for (const problem of problems) {
    const mark = problem.severity === "error" ? out.style.bad("✗") : out.style.caution("⚠");
    out.line(`${mark} ${formatWarning(problem)}`);
  }
  if (loaded.pendingMigrations.length > 0) {
    out.line(`${out.style.caution("⚠")} The file has an older layout. Run: hermes config migrate`);
    for (const change of loaded.pendingMigrations) out.line(`    ${change}`);
  }
  if (problems.length === 0) out.line(`${out.style.good("✓")} ${loaded.file} is valid.`);
  return isValid ? exitCodes.ok : exitCodes.badConfig;
}
