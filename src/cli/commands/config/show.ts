import { describeSettings, describeSource, explain, isSecretVariable, masked, type SettingInfo } from "#config";
import { isRecord } from "#foundation/text/json";
import type { Invocation } from "../../command.ts";
import { hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { concreteKeys } from "../../support/setting-keys.ts";
import { loadSettings, type Settings } from "../../support/settings.ts";

/** The effective settings in groups. Without `--all` only what is not at its default, which is what people ask about. */
export async function configShow(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const settings = await loadSettings(invocation);
  const { home, loaded } = settings;
  const variables = secretVariables(settings);
  if (out.isJson) {
    out.document({
      file: loaded.file,
      env_file: home.envFile,
      profile: home.profileName,
      read_from: loaded.readFrom,
      config: masked(loaded.config),
      credentials: variables,
    });
    return 0;
  }
  out.line(`Settings     ${loaded.file}${loaded.readFrom === "file" ? "" : out.style.dim(` (${origin(loaded)})`)}`);
  out.line(`Credentials  ${home.envFile}`);
  const rows = shownSettings(await describeSettings(), settings, hasFlag(invocation, "all"));
  for (const [category, members] of groupBy(rows)) {
    out.line();
    out.heading(category);
    for (const { key, value, source } of members) out.line(`  ${key} = ${value}${out.style.dim(`  ${source}`)}`);
  }
  out.line();
  out.heading("Credentials");
  if (variables.length === 0) out.line("  none in .env");
  for (const name of variables) out.line(`  ${name} = ***`);
  if (rows.length === 0)
    out.line(out.style.dim("\nAll settings have their default values. See them with: hermes config show --all"));
  return 0;
}

interface Row {
  readonly category: string;
  readonly key: string;
  readonly value: string;
  readonly source: string;
}

function shownSettings(infos: readonly SettingInfo[], { loaded }: Settings, showsAll: boolean): readonly Row[] {
  return [...concreteKeys(infos)].flatMap(([key, { category }]): readonly Row[] => {
    const { value, source } = explain(loaded, key);
    if (value === undefined || (source.kind === "default" && !showsAll)) return [];
    const text = isRecord(value) || Array.isArray(value) ? JSON.stringify(value) : String(value);
    return [{ category, key, value: text, source: source.kind === "default" ? "" : describeSource(source) }];
  });
}

function groupBy(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(row.category, [...(groups.get(row.category) ?? []), row]);
  return groups;
}

/** Which credentials the home's file holds; never what they are. */
function secretVariables({ loaded }: Settings): readonly string[] {
  const { variables } = loaded.environment;
  return Object.keys(variables)
    .filter((name) => loaded.environment.originOf(name) === "home-file" && isSecretVariable(name))
    .filter((name) => (variables[name] ?? "") !== "")
    .sort();
}

function origin({ readFrom, warnings }: Settings["loaded"]): string {
  if (readFrom === "backup") return "does not parse; its last good copy is used";
  const isBroken = warnings.some(({ kind }) => kind === "syntax" || kind === "unreadable");
  return isBroken ? "cannot be read; defaults" : "not there; defaults";
}
