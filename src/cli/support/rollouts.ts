import { readFile } from "node:fs/promises";
import path from "node:path";
import { formatWarning, loadConfig } from "#config";
import { openRollouts } from "#environments";
import { Scope } from "#foundation/lifecycle/disposal";
import { Secret } from "#foundation/secrets/secret";
import { isRecord } from "#foundation/text/json";
import type { FlagValue, Invocation } from "../command.ts";
import { flagText } from "../invocation.ts";
import { usageError } from "../usage-error.ts";
import { version } from "../version.ts";
import { homeOf } from "./home.ts";
import { openOrCreateStore } from "./store.ts";

/**
 * Opens what rollouts share, with the settings of the home and those of this command on top. What they cost counts with
 * everything else the home spends.
 */
export async function openRolloutsFor(invocation: Invocation, settings: readonly (readonly [string, unknown])[]) {
  const { io, global } = invocation;
  const loaded = await loadConfig({
    home: homeOf(invocation),
    env: io.env,
    cwd: io.cwd,
    flags: settings.map(([key, value]) => ({ key, value, flag: key })),
    ...(global.ignoresUserConfig === true ? { ignoreUserConfig: true } : {}),
  });
  for (const warning of loaded.warnings) io.stderr.write(`${warning.severity}: ${formatWarning(warning)}\n`);
  const scope = new Scope();
  try {
    const store = scope.adopt(await openOrCreateStore(invocation));
    const onNotice = (text: string) => void io.stderr.write(`${text}\n`);
    const machine = { env: io.env, cwd: io.cwd, version, profile: global.profile, loaded, onNotice };
    const rollouts = scope.adopt(await openRollouts(machine, store.money));
    return { ...rollouts, store, [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose]() };
  } catch (error) {
    await scope[Symbol.asyncDispose]();
    throw error;
  }
}

/** The model that the flags name; what they leave out is the configured one. */
export function wantedModel(invocation: Invocation) {
  const key = flagText(invocation, "api-key");
  return {
    model: flagText(invocation, "model"),
    provider: flagText(invocation, "provider"),
    baseUrl: flagText(invocation, "base-url"),
    apiKey: key === undefined ? undefined : new Secret(key),
  };
}

/** The same invocation with what a YAML file says where the line says nothing. Names in it have underscores. */
export async function withOptionsFile(invocation: Invocation, command: string): Promise<Invocation> {
  const name = flagText(invocation, "options");
  if (name === undefined) return invocation;
  const file = path.resolve(invocation.io.cwd, name);
  const { parse } = await import("yaml");
  const value: unknown = parse(await readFile(file, "utf8"));
  if (!isRecord(value)) throw usageError(`${file} has no options in it.`, "It has lines such as: num_workers: 8");
  const { flags: declared = [] } = invocation.root.commands?.find(({ name: word }) => word === command) ?? {};
  const known = declared.map((flag) => flag.name);
  const flags: Record<string, FlagValue> = { ...invocation.flags };
  for (const [key, input] of Object.entries(value)) {
    const flag = key === "max_items" ? "max-samples" : key.replaceAll("_", "-");
    if (!known.includes(flag)) throw usageError(`${file}: there is no option ${key}.`, `Known: ${known.join(", ")}`);
    flags[flag] ??= typeof input === "boolean" ? input : Array.isArray(input) ? input.map(String) : String(input);
  }
  return { ...invocation, flags };
}
