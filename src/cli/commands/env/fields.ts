import path from "node:path";
import { type EnvironmentConfig, type findEnvironment, readEnvironmentConfig } from "#environments";
import { UserError } from "#foundation/errors";
import type { Invocation } from "../../command.ts";
import { flagText } from "../../invocation.ts";

const groups = ["env", "openai", "replay"];

/** Flags with a dot, as typed. */
export function dottedFlags({ flags }: Invocation): Readonly<Record<string, string>> {
  const dotted = Object.entries(flags).filter(([name]) => name.includes("."));
  for (const [name] of dotted)
    if (!groups.some((group) => name.startsWith(`${group}.`)))
      throw new UserError(`There is no flag --${name}.`, {
        hint: `Flags with a dot begin with ${groups.map((group) => `--${group}.`).join(", ")}.`,
        code: "usage",
        exitCode: 2,
      });
  return Object.fromEntries(dotted.map(([name, value]) => [name, value === true ? "true" : String(value)]));
}

/** The fields of an environment: its own, then those of the command, of the file and of the line. */
export async function environmentFields(
  definition: Awaited<ReturnType<typeof findEnvironment>>,
  invocation: Invocation,
  mode: Readonly<Record<string, unknown>> = {},
): Promise<EnvironmentConfig> {
  const file = flagText(invocation, "fields");
  return await readEnvironmentConfig({
    usual: definition.config,
    usualServer: definition.server,
    mode,
    file: file === undefined ? undefined : path.resolve(invocation.io.cwd, file),
    flags: dottedFlags(invocation),
  });
}
