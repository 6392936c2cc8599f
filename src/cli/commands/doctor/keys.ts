import { environmentVariables, isSecretVariable } from "#config";
import { isPlaced, probeKey } from "#model";
import { findProvider, openPool } from "../../support/provider.ts";
import { providerOfKey } from "../auth/add.ts";
import type { Check, Examine, Patient } from "./check.ts";

const section = "Keys";

/** Keys that do nothing, hide another, or belong to somebody else. */
export const examineKeys: Examine = async (patient) => [
  ...unusedKeys(patient),
  ...shadowedKeys(patient),
  ...foreignKeys(patient),
  ...(await unplacedKeys(patient)),
];

/** A key of a service with several addresses, of which nobody has tried yet where it works. */
async function unplacedKeys({ invocation, parts, isOffline }: Patient): Promise<readonly Check[]> {
  const { context } = parts.models;
  const { signal } = invocation.io;
  const checks: Check[] = [];
  for (const profile of context.registry.all()) {
    if (isOffline || profile.probeBaseUrls === undefined) continue;
    const pool = await openPool(findProvider(profile.id, context), context, signal);
    const [first] = await pool.members(signal);
    if (first === undefined || (await isPlaced(profile, first.secret, { context, signal }))) continue;
    checks.push({
      section,
      name: profile.label,
      state: "warning",
      detail: `nobody has tried at which of its ${profile.probeBaseUrls.length} addresses the key works`,
      hint: "Try them: hermes doctor --fix",
      async fix() {
        const baseUrl = await probeKey(profile, first.secret, { context, signal });
        return baseUrl === undefined
          ? `The key for ${profile.label} works at none of its addresses.`
          : `The key for ${profile.label} works at ${baseUrl}`;
      },
    });
  }
  return checks;
}

function ownKeys({ parts }: Patient): readonly (readonly [string, string])[] {
  const { environment } = parts.loaded;
  return Object.entries(environment.variables).flatMap(([name, value]) =>
    isSecretVariable(name) && (value ?? "") !== "" && environment.originOf(name) === "home-file"
      ? [[name, value ?? ""] as const]
      : [],
  );
}

function unusedKeys(patient: Patient): readonly Check[] {
  const { models, loaded } = patient.parts;
  const used = new Set([
    ...environmentVariables.map((one) => one.name),
    ...models.context.registry.all().flatMap((profile) => profile.keyEnv),
    ...loaded.config.custom_providers.map((one) => one.key_env),
    ...Object.values(loaded.config.providers).map((one) => one.key_env),
  ]);
  const text = JSON.stringify(loaded.config);
  return ownKeys(patient)
    .filter(([name]) => !used.has(name) && !name.startsWith("MCP_") && !text.includes(name))
    .map(([name]) => ({
      section,
      name: `${name} in .env`,
      state: "warning" as const,
      detail: "nothing Hermes knows uses it",
      hint: `A skill or plugin may. Otherwise: hermes config unset ${name}`,
    }));
}

function shadowedKeys({ invocation, parts }: Patient): readonly Check[] {
  const { environment } = parts.loaded;
  return Object.entries(invocation.io.env).flatMap(([name, exported]) => {
    const isHidden =
      environment.originOf(name) === "home-file" && exported !== undefined && exported !== environment.variables[name];
    if (!isHidden || !isSecretVariable(name)) return [];
    return [
      {
        section,
        name,
        state: "warning" as const,
        detail: "is exported with a different value; the one in .env is used",
        hint: `Keep one of them: unset ${name}, or hermes config unset ${name}`,
      },
    ];
  });
}

/** `sk-or-` in `OPENAI_API_KEY` would be sent to the wrong company. */
function foreignKeys({ parts }: Patient): readonly Check[] {
  const { registry, env } = parts.models.context;
  const checks = registry.all().flatMap((profile) =>
    profile.keyEnv.flatMap((name): readonly Check[] => {
      const made = providerOfKey(env[name] ?? "", registry);
      if (made === undefined || made === profile.id || registry.find(made)?.keyEnv.includes(name) === true) return [];
      return [
        {
          section,
          name,
          state: "failed",
          isSecurity: true,
          detail: `holds what looks like a key of ${made}`,
          hint: `Move it: hermes config unset ${name}, then hermes auth add ${made}`,
        },
      ];
    }),
  );
  return checks.length > 0 ? checks : [{ section, name: "keys are where they belong", state: "ok", isSecurity: true }];
}
