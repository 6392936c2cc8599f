import type { ConfigWarning } from "../../warning.ts";
import { fillingVariables, overridingVariables, retiredVariables, switchNames } from "./general-variables.ts";
import { platformVariables } from "./platform-variables.ts";
import { credentialVariables, serviceVariables } from "./provider-variables.ts";

/**
 * What a variable does. `switch` steers one process and has no key; `override` beats the file, `gap` fills
 * what the file leaves open, `provider` is read where a provider is chosen, `secret` is a credential,
 * `dead` has no effect any more and names the key to use instead.
 */
type EnvironmentVariable = { readonly name: string } & (
  | { readonly kind: "switch" | "provider" | "secret" }
  | { readonly kind: "override" | "gap" | "dead"; readonly key: string }
);

const named = (kind: "switch" | "provider" | "secret", names: readonly string[]): readonly EnvironmentVariable[] =>
  names.map((name) => ({ kind, name }));

const keyed = (
  kind: "override" | "gap" | "dead",
  pairs: readonly (readonly [name: string, key: string])[],
): readonly EnvironmentVariable[] => pairs.map(([name, key]) => ({ kind, name, key }));

/** Every variable Hermes reads, with what it does. */
export const environmentVariables: readonly EnvironmentVariable[] = [
  ...named("switch", switchNames),
  ...keyed("override", overridingVariables),
  ...keyed("gap", fillingVariables),
  ...keyed("dead", retiredVariables),
  ...keyed("override", platformVariables),
  ...named("provider", serviceVariables),
  ...named("secret", credentialVariables),
];

/** Variables that are set but have no effect, with the setting that replaced each. */
export function deadVariables(variables: Readonly<Record<string, string | undefined>>): readonly ConfigWarning[] {
  return environmentVariables.flatMap((variable): ConfigWarning[] => {
    if (variable.kind !== "dead" || (variables[variable.name] ?? "") === "") return [];
    return [
      {
        kind: "variable",
        severity: "warning",
        message: `The variable ${variable.name} has no effect any more.`,
        hint: `Set ${variable.key} instead: hermes config set ${variable.key} <value>`,
        key: variable.name,
      },
    ];
  });
}

const secretName = /(?:_API_KEY|_TOKEN|_SECRET|_PASSWORD|_KEY)$/;

const secretVariables: ReadonlySet<string> = new Set(
  environmentVariables.filter(({ kind }) => kind === "secret").map(({ name }) => name),
);

/** Whether a variable holds a credential, by what is known about it or by how it is called. */
export function isSecretVariable(name: string): boolean {
  return secretName.test(name) || secretVariables.has(name);
}

/** Whether `config set` writes this name to `.env` instead of the file of settings. */
export function belongsInSecretFile(name: string): boolean {
  const upper = name.toUpperCase();
  if (!/^[A-Z_][A-Z0-9_]*$/.test(upper)) return false;
  if (upper.endsWith("_API_KEY") || upper.endsWith("_TOKEN") || upper.startsWith("TERMINAL_SSH")) return true;
  return environmentVariables.some((known) => known.name === upper && isCredential(known));
}

function isCredential(variable: EnvironmentVariable): boolean {
  return variable.kind === "secret" || secretName.test(variable.name) || variable.name === "SUDO_PASSWORD";
}
