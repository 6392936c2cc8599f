import { writeSecret } from "#config";
import { UserError } from "#foundation/errors";
import { Secret } from "#foundation/secrets/secret";
import type { InstallReport } from "#plugins";
import type { Invocation } from "../../command.ts";
import { argument, hasFlag } from "../../invocation.ts";
import { snakeCase } from "../../output/json.ts";
import { Output } from "../../output/output.ts";
import { type Asker, agreed, isTerminal, openAsker } from "../../support/ask.ts";
import { type OpenPlugins, openPlugins } from "../../support/plugins.ts";
import { editOptions, loadSettings } from "../../support/settings.ts";
import { changeChoice } from "./switch.ts";

export async function pluginsInstall(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  const plugins = await openPlugins(invocation, { isLoaded: false });
  const spec = argument(invocation, 0);
  const outcome = await plugins.installer.install(spec, { isForced: hasFlag(invocation, "force") }, io.signal);
  if (outcome.kind !== "installed")
    throw refused(spec, outcome.kind === "refused" ? outcome.reason : "it asks for more");
  for (const warning of outcome.warnings) out.note(warning);
  out.line(`Installed ${outcome.key} ${outcome.version}.`);
  if (outcome.permissions.length > 0) out.line(`It asks for: ${outcome.permissions.join(", ")}`);
  const isEnabled = await settle(invocation, plugins, outcome);
  out.document({ ...(snakeCase(outcome) as object), enabled: isEnabled });
  out.line(isEnabled ? `${outcome.key} is on.` : `It is off. Enable it with: hermes plugins enable ${outcome.key}`);
  return 0;
}

/** Variables it lacks are asked for, then whether to switch it on; without a terminal only `--enable` does. */
async function settle(invocation: Invocation, plugins: OpenPlugins, report: InstallReport): Promise<boolean> {
  const { io } = invocation;
  const mayAsk = isTerminal(io) && !invocation.global.isJson;
  using asker = mayAsk ? openAsker(io) : undefined;
  if (asker !== undefined) await askVariables(asker, invocation, report);
  else if (report.missingEnv.length > 0)
    io.stderr.write(`Not set yet: ${report.missingEnv.map(({ name }) => name).join(", ")}\n`);
  const isWanted =
    hasFlag(invocation, "enable") ||
    (!hasFlag(invocation, "no-enable") &&
      (await asker?.confirm(`Let ${report.key} run? It runs with your rights.`, false)) === true);
  if (isWanted) await changeChoice(invocation, plugins, { key: report.key, isOn: true });
  return isWanted;
}

async function askVariables(asker: Asker, invocation: Invocation, { missingEnv }: InstallReport): Promise<void> {
  const { home } = await loadSettings(invocation, { isQuiet: true });
  for (const { name, description, url } of missingEnv) {
    const about = [description, url === undefined ? undefined : `from ${url}`].filter((part) => part !== undefined);
    const value = await asker.secret(`${name}${about.length === 0 ? "" : ` (${about.join(", ")})`}, empty to skip`);
    if (value !== "") await writeSecret(name, new Secret(value), editOptions(invocation, home));
  }
}

export async function pluginsUpdate(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  const { installer } = await openPlugins(invocation, { isLoaded: false });
  const key = argument(invocation, 0);
  let outcome = await installer.update(key, { isConfirmed: hasFlag(invocation, "yes") }, io.signal);
  if (outcome.kind === "asks") {
    const { addedPermissions, isEdited } = outcome;
    const reasons = [
      ...(addedPermissions.length === 0 ? [] : [`it now also needs ${addedPermissions.join(", ")}`]),
      ...(isEdited ? ["its files were edited here, and the edits will be lost"] : []),
    ];
    if (!(await agreed(`Update ${key}? ${reasons.join("; ")}.`, { io, isYes: false }))) {
      out.line("Nothing was changed.");
      return 1;
    }
    outcome = await installer.update(key, { isConfirmed: true }, io.signal);
  }
  if (outcome.kind !== "installed") throw refused(key, outcome.kind === "refused" ? outcome.reason : "it asks again");
  out.document(snakeCase(outcome) as Readonly<Record<string, unknown>>);
  out.line(`${outcome.key} is now version ${outcome.version}.`);
  return 0;
}

export async function pluginsRemove(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  const plugins = await openPlugins(invocation, { isLoaded: false });
  const key = argument(invocation, 0);
  if (!plugins.host.list.some((one) => one.key === key)) throw unknownPlugin(key);
  if (!(await agreed(`Remove the plugin ${key}?`, { io, isYes: hasFlag(invocation, "yes") }))) {
    out.line("Nothing was removed.");
    return 1;
  }
  await plugins.installer.remove(key);
  await changeChoice(invocation, plugins, { key, isOn: undefined });
  out.document({ removed: key });
  out.line(`Removed ${key}. What it had stored is still in ${plugins.home.pluginData}.`);
  return 0;
}

export function unknownPlugin(key: string): UserError {
  return new UserError(`There is no plugin "${key}".`, {
    code: "plugin_unknown",
    hint: "See them with: hermes plugins list",
  });
}

function refused(what: string, reason: string): UserError {
  return new UserError(`${what} was not installed: ${reason}.`, { code: "plugin_refused" });
}
