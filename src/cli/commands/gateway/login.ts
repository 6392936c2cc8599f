import { UserError } from "#foundation/errors";
import { HttpClient } from "#foundation/http/client";
import { fetchOver } from "#foundation/http/fetch";
import { systemClock } from "#foundation/time/clock";
import { ConnectionError, type Platform } from "#gateway";
import type { Invocation } from "../../command.ts";
import type { Output } from "../../output/output.ts";
import { loadSettings } from "../../support/settings.ts";

/** What a platform gets by itself when a person logs in there; nothing where it must be copied by hand. */
export async function loggedIn(
  platform: Platform,
  invocation: Invocation,
  out: Output,
): Promise<Readonly<Record<string, string>>> {
  if (platform.login === undefined) return {};
  await using client = new HttpClient();
  return await platform.login(await portsOver(client, invocation, out), invocation.io.signal);
}

/** Links the account, where a platform does that with what was just kept. */
export async function paired(platform: Platform, invocation: Invocation, out: Output): Promise<void> {
  if (platform.pair === undefined) return;
  await using client = new HttpClient();
  const ports = await portsOver(client, invocation, out);
  await platform.pair(ports, invocation.io.signal).catch((error: unknown) => {
    throw error instanceof ConnectionError ? new UserError(error.message, { cause: error }) : error;
  });
}

async function portsOver(client: HttpClient, invocation: Invocation, out: Output) {
  const { loaded } = await loadSettings(invocation);
  return {
    config: loaded.config,
    fetch: fetchOver(client),
    clock: systemClock,
    show: (text: string): void => out.line(text),
  };
}
