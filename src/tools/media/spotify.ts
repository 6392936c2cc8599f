import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import type { Secret } from "#foundation/secrets/secret";
import { isRecord } from "#foundation/text/json";
import { ToolFailure } from "../contract/result.ts";
import { callService } from "../web/service-call.ts";

/** The account whose music is controlled. */
export interface SpotifyAccount {
  /** Without any network. */
  status(signal: AbortSignal): Promise<{ readonly kind: "logged-in" | "logged-out" }>;
  /** Rejects with a `UserError` when nobody is logged in. */
  access(signal: AbortSignal): Promise<{ readonly url: string; readonly token: Secret }>;
}

export interface SpotifyCall {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly json?: unknown;
}

const timeoutMs = 15_000;

/** One call for the account; gives the answer without what only pages need. Undefined: nothing was answered, nothing plays. */
export async function callSpotify(
  account: SpotifyAccount,
  { method = "GET", path, query = {}, json }: SpotifyCall,
  signal: AbortSignal,
): Promise<unknown> {
  const { url, token } = await accessOf(account, signal);
  const asked = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) asked.set(key, String(value));
  const search = asked.size === 0 ? "" : `?${asked}`;
  const answer = await callService(`${url}${path}${search}`, {
    method,
    token,
    timeoutMs,
    signal,
    ...defined({ json }),
  });
  if (answer.kind === "ok") return withoutDecoration(answer.value);
  throw new ToolFailure(`Spotify did not do it: ${answer.reason}${adviceFor(answer)}`);
}

async function accessOf(account: SpotifyAccount, signal: AbortSignal): ReturnType<SpotifyAccount["access"]> {
  try {
    return await account.access(signal);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new ToolFailure(`${error.message} ${error.hint ?? ""}`.trim());
  }
}

/** What the usual refusals mean, in words that lead on. */
function adviceFor({ status, reason }: { readonly status?: number; readonly reason: string }): string {
  if (status === 404 && /device/iu.test(reason))
    return ". Nothing is playing anywhere: name a device of spotify_devices, or ask the person to open Spotify.";
  if (status === 403 && /premium/iu.test(reason)) return ". Controlling playback needs a Premium account.";
  if (status === 429) return ". Spotify limits how often it is asked; try again later.";
  return "";
}

/** Pictures, addresses of pages and lists of countries are most of an answer, and nobody reads them. */
const decoration = new Set([
  ...["available_markets", "images", "icons", "href", "external_urls", "external_ids", "preview_url", "copyrights"],
  ...["is_local", "linked_from", "restrictions", "video_thumbnail", "primary_color", "snapshot_id", "actions"],
]);

function withoutDecoration(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((one) => one !== null).map(withoutDecoration);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !decoration.has(key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutDecoration(inner)]));
}
