import type { Config } from "#config";
import { timeLimit } from "#foundation/lifecycle/abort";
import { isRecord } from "#foundation/text/json";
import { ConnectionError, openNetwork, type Platform } from "#gateway";

/** Whether a credential of a platform is set, in its own section or in `platforms.<id>`. */
export function isSet({ id }: Platform, name: string, config: Config): boolean {
  const own: unknown = (config as unknown as Readonly<Record<string, unknown>>)[id];
  const values: readonly unknown[] = [
    isRecord(own) ? own[name] : undefined,
    (config.platforms[id] as unknown as Readonly<Record<string, unknown>> | undefined)?.[name],
  ];
  return values.some((value) => {
    if (typeof value === "string") return value !== "";
    if (Array.isArray(value)) return value.length > 0;
    if (typeof value !== "object" || value === null) return value !== undefined && value !== null;
    return !("isEmpty" in value) || value.isEmpty !== true;
  });
}

/** Whether everything a platform cannot do without is set. */
export function isSetUp(platform: Platform, config: Config): boolean {
  return platform.credentials.every(({ name, isOptional }) => isOptional === true || isSet(platform, name, config));
}

export type Verdict =
  | { readonly kind: "accepted"; readonly name: string }
  | { readonly kind: "refused"; readonly why: string }
  /** The platform cannot be asked, or could not be reached. */
  | { readonly kind: "unknown"; readonly why: string };

const longestMs = 15_000;

/** Asks the platform whose credential it is. */
export async function tried(
  platform: Platform,
  settings: { readonly config: Config; readonly env: Readonly<Record<string, string | undefined>> },
  signal: AbortSignal,
): Promise<Verdict> {
  if (platform.whoami === undefined) return { kind: "unknown", why: "" };
  try {
    await using network = openNetwork(platform, settings);
    const limit = timeLimit(longestMs, signal);
    const { config } = settings;
    return { kind: "accepted", name: await platform.whoami({ config, fetch: network.fetch }, limit) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ConnectionError && !error.isRetryable) return { kind: "refused", why: error.message };
    return { kind: "unknown", why: error instanceof Error ? error.message : String(error) };
  }
}
