import type { Config } from "#config";
import { UserError } from "#foundation/errors";
import { systemClock } from "#foundation/time/clock";
import { ConnectionError, openNetwork, type Platform } from "#gateway";
import type { Invocation } from "../../command.ts";
import type { Output } from "../../output/output.ts";
import { loadSettings } from "../../support/settings.ts";

type LoginPorts = Parameters<NonNullable<Platform["pair"]>>[0];

/** What a platform gets by itself when a person logs in there; nothing where it must be copied by hand. */
export async function loggedIn(
  platform: Platform,
  invocation: Invocation,
  out: Output,
): Promise<Readonly<Record<string, string>>> {
  if (platform.login === undefined) return {};
  const { loaded } = await loadSettings(invocation);
  await using network = openNetwork(platform, { config: loaded.config, env: loaded.environment.variables });
  return await platform.login(portsOver(network, loaded.config, out), invocation.io.signal);
}

/** Links the account, where a platform does that with what was just kept. */
export async function paired(platform: Platform, invocation: Invocation, out: Output): Promise<void> {
  if (platform.pair === undefined) return;
  const { loaded } = await loadSettings(invocation);
  await using network = openNetwork(platform, { config: loaded.config, env: loaded.environment.variables });
  await platform.pair(portsOver(network, loaded.config, out), invocation.io.signal).catch((error: unknown) => {
    throw error instanceof ConnectionError ? new UserError(error.message, { cause: error }) : error;
  });
}

function portsOver({ fetch }: Pick<LoginPorts, "fetch">, config: Config, out: Output): LoginPorts {
  return { config, fetch, clock: systemClock, show: (text) => out.line(text) };
}
