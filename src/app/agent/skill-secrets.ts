import { type LoadedConfig, writeSecret } from "#config";
import type { HermesHome } from "#foundation/files/paths";
import type { Redactor } from "#foundation/secrets/redact";
import type { SurfaceRouter } from "../surface-router.ts";
import type { SkillsOptions } from "./open-skills.ts";

export interface SkillSecretsDeps {
  readonly surfaces: Pick<SurfaceRouter, "askVariable">;
  readonly loaded: LoadedConfig;
  readonly home: HermesHome;
  /** The environment of the process, to write settings by. */
  readonly env: NodeJS.ProcessEnv;
  readonly redactor: Redactor;
}

/** Asks for what a skill needs, and keeps it: in `.env` for later, in this run for now, and out of everything that is shown. */
export function skillSecrets(deps: SkillSecretsDeps): NonNullable<SkillsOptions["askSecret"]> {
  const { surfaces, loaded, home, env, redactor } = deps;
  return async (variable, prompt, signal) => {
    const typed = await surfaces.askVariable({ variable, prompt }, signal);
    if (typed === undefined) return undefined;
    if (typed === "skipped") return false;
    redactor.add(typed, variable);
    await writeSecret(variable, typed, { home, env, signal });
    // The variables of a run are one object that all parts read; this is the only place where it grows.
    Object.assign(loaded.environment.variables, { [variable]: typed.reveal() });
    return true;
  };
}
