import { homedir } from "node:os";
import { redactorFor } from "#config";
import { silentLogger } from "#foundation/files/logger";
import type { Redactor } from "#foundation/secrets/redact";
import { systemClock } from "#foundation/time/clock";
import { type Models, openModels } from "#model";
import type { Invocation } from "../command.ts";
import { version } from "../version.ts";
import { loadSettings, type Settings } from "./settings.ts";

export interface ModelAccess extends Settings, AsyncDisposable {
  readonly models: Models;
  readonly redactor: Redactor;
}

/** Everything that talks to models, for one command. Opening uses no network. */
export async function openModelAccess(
  invocation: Invocation,
  options: { readonly isQuiet?: boolean } = {},
): Promise<ModelAccess> {
  const settings = await loadSettings(invocation, options);
  const { home, loaded } = settings;
  const redactor = redactorFor(loaded);
  const userHome = invocation.io.env["HOME"] ?? homedir();
  const models = await openModels({
    loaded,
    settingsNow: () => Promise.resolve(loaded),
    home,
    userHome,
    version,
    clock: systemClock,
    logger: silentLogger,
    redactor,
  });
  return { ...settings, models, redactor, [Symbol.asyncDispose]: () => models[Symbol.asyncDispose]() };
}
