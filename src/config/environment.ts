import { generalVariables } from "./environment/general-variables.ts";
import { platformVariables } from "./environment/platform-variables.ts";
import { providerVariables } from "./environment/provider-variables.ts";
import type { EnvironmentVariable } from "./environment/variable.ts";
import type { ConfigWarning } from "./warning.ts";

/** Every variable Hermes reads, with what it does. Reference pages, `doctor` and the loader use this table. */
export const environmentVariables: readonly EnvironmentVariable[] = [
  ...generalVariables,
  ...platformVariables,
  ...providerVariables,
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
        hint: `Set ${variable.replacement} instead: hermes config set ${variable.replacement} <value>`,
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
