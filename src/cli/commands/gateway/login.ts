import { HttpClient } from "#foundation/http/client";
import { fetchOver } from "#foundation/http/fetch";
import { systemClock } from "#foundation/time/clock";
import type { Platform } from "#gateway";
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
  const { loaded } = await loadSettings(invocation);
  await using client = new HttpClient();
  const ports = {
    config: loaded.config,
    fetch: fetchOver(client),
    clock: systemClock,
    show: (text: string): void => out.line(text),
  };
  return await platform.login(ports, invocation.io.signal);
}
