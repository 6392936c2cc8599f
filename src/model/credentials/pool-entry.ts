import { randomBytes } from "node:crypto";
import { defined } from "#foundation/defined";
import { Secret } from "#foundation/secrets/secret";
import { isRecord } from "#foundation/text/json";
import { nonEmpty } from "#foundation/text/text";
import { parseResetHint } from "#foundation/time/retry";

export type PoolAuthType = "api_key" | "oauth";

/** Why an entry rests, and until when. */
export interface Exhaustion {
  readonly untilMs: number;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
}

/** One credential of a pool, as stored in `auth.json`. */
export interface PoolEntry {
  /** Six hexadecimal digits. */
  readonly id: string;
  readonly label: string;
  readonly authType: PoolAuthType;
  readonly priority: number;
  /** `env:<VAR>`, `manual`, `device_code`, `claude_code`, … */
  readonly source: string;
  /** Undefined for entries whose value stays in its source (an environment variable is not copied to disk). */
  readonly accessToken?: Secret | undefined;
  readonly refreshToken?: Secret | undefined;
  readonly expiresAtMs?: number | undefined;
  readonly baseUrl?: string | undefined;
  readonly exhausted?: Exhaustion | undefined;
  readonly requestCount: number;
  /** Which value the stored state belongs to; a changed value starts afresh. */
  readonly fingerprint?: string | undefined;
  /** Fields this version does not use. */
  readonly rest: Readonly<Record<string, unknown>>;
}

/** Only entries a person added are theirs to remove; others follow their source. */
export function isManual(entry: Pick<PoolEntry, "source">): boolean {
  return entry.source === "manual" || entry.source.startsWith("manual:");
}

export function newEntryId(): string {
  return randomBytes(3).toString("hex");
}

const defaultRestMs = 3_600_000;

export function readPoolEntry(value: unknown): PoolEntry | undefined {
  if (!isRecord(value) || typeof value.id !== "string" || value.id === "") return undefined;
  const source = nonEmpty(value.source) ?? "manual";
  const token = nonEmpty(value.access_token);
  const refresh = nonEmpty(value.refresh_token);
  const baseUrl = nonEmpty(value.inference_base_url) ?? nonEmpty(value.base_url);
  const expiresAtMs = momentOf(value.expires_at_ms) ?? momentOf(value.expires_at);
  const exhausted = readExhaustion(value);
  const fingerprint = nonEmpty(value.fingerprint);
  return {
    id: value.id,
    label: nonEmpty(value.label) ?? source,
    authType: value.auth_type === "oauth" ? "oauth" : "api_key",
    priority: typeof value.priority === "number" ? value.priority : 0,
    source,
    ...(token === undefined ? {} : { accessToken: new Secret(token) }),
    ...(refresh === undefined ? {} : { refreshToken: new Secret(refresh) }),
    ...defined({ expiresAtMs, baseUrl, exhausted }),
    requestCount: typeof value.request_count === "number" ? value.request_count : 0,
    ...defined({ fingerprint }),
    rest: value,
  };
}

/** The stored form, with the fields of other versions left as they were. */
export function writePoolEntry(entry: PoolEntry): Readonly<Record<string, unknown>> {
  const { exhausted } = entry;
  const written: Record<string, unknown> = {
    ...entry.rest,
    id: entry.id,
    label: entry.label,
    auth_type: entry.authType,
    priority: entry.priority,
    source: entry.source,
    access_token: entry.accessToken?.reveal(),
    refresh_token: entry.refreshToken?.reveal(),
    expires_at_ms: entry.expiresAtMs,
    last_status: exhausted === undefined ? "ok" : "exhausted",
    last_error_code: exhausted?.code ?? null,
    last_error_reason: exhausted?.reason ?? null,
    last_error_message: exhausted?.message ?? null,
    last_error_reset_at: exhausted === undefined ? null : exhausted.untilMs / 1000,
    request_count: entry.requestCount,
    fingerprint: entry.fingerprint,
  };
  if (entry.baseUrl !== undefined && written.inference_base_url === undefined) written.base_url = entry.baseUrl;
  return Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined));
}

function readExhaustion(value: Record<string, unknown>): Exhaustion | undefined {
  if (value.last_status !== "exhausted") return undefined;
  const resetAtMs = momentOf(value.last_error_reset_at);
  const since = momentOf(value.last_status_at) ?? 0;
  const reason = nonEmpty(value.last_error_reason);
  const message = nonEmpty(value.last_error_message);
  return {
    untilMs: resetAtMs ?? since + defaultRestMs,
    ...(typeof value.last_error_code === "number" ? { code: value.last_error_code } : {}),
    ...defined({ reason, message }),
  };
}

/** A moment written as seconds or milliseconds since 1970 or as an ISO date. */
export function momentOf(value: unknown): number | undefined {
  if (typeof value === "string" && value.trim() !== "") {
    const parsed = Date.parse(value);
    if (!Number.isNaN(parsed) && /\d{4}-\d\d-\d\d/.test(value)) return parsed;
  }
  if (typeof value !== "number" && typeof value !== "string") return undefined;
  const fromNow = parseResetHint(value, 0);
  // At time zero a number of seconds since 1970 is its own distance; small numbers are no moments.
  return fromNow !== undefined && fromNow >= 100_000_000_000 ? fromNow : undefined;
}
