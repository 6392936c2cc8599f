import { httpRequest } from "#foundation/http/request";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Target } from "./target.ts";

/** One thing a provider says about the account: money left, or a share used of a plan. */
export type AccountLine =
  | { readonly kind: "balance"; readonly label: string; readonly amount: number; readonly currency: string }
  | { readonly kind: "quota"; readonly label: string; readonly usedPercent: number; readonly resetsAtMs?: number };

export type AccountAnswer =
  | { readonly kind: "account"; readonly lines: readonly AccountLine[] }
  /** This provider does not tell, or not for this kind of credential. */
  | { readonly kind: "unsupported" }
  | { readonly kind: "failure"; readonly message: string };

interface AccountProbe {
  /** Relative to the base URL of the target. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  read(body: Readonly<Record<string, unknown>>, nowMs: number): readonly AccountLine[];
}

const limitMs = 10_000;

/** Asks the provider of a target what is left. Takes at most ten seconds and never throws for a refusal. */
export async function readAccount(
  target: Target,
  options: { readonly signal: AbortSignal; readonly nowMs: number },
): Promise<AccountAnswer> {
  const probe = probes[target.provider];
  if (probe === undefined) return { kind: "unsupported" };
  const url = new URL(probe.path, `${target.baseUrl}/`);
  const headers = { accept: "application/json", ...target.headers, ...probe.headers };
  const authorization = await target.credential.authorize({ method: "GET", url, headers, body: "" }, options.signal);
  const response = await httpRequest(url, {
    headers: { ...headers, ...authorization },
    signal: options.signal,
    timeoutMs: limitMs,
    totalTimeoutMs: limitMs,
    maxBodyBytes: 256 * 1024,
    redirect: "error",
  });
  if (response.kind === "failure") {
    options.signal.throwIfAborted();
    return { kind: "failure", message: response.failure.message };
  }
  const body = await response.text();
  if (body.kind === "failure") return { kind: "failure", message: body.failure.message };
  // An ordinary API key may not see the pages of a plan; that is not worth an error.
  if (response.status === 401 || response.status === 403 || response.status === 404) return { kind: "unsupported" };
  if (response.status !== 200) return { kind: "failure", message: `HTTP ${response.status}` };
  const parsed = parseJson(body.text);
  const lines = parsed.ok && isRecord(parsed.value) ? probe.read(parsed.value, options.nowMs) : [];
  return lines.length === 0 ? { kind: "unsupported" } : { kind: "account", lines };
}

const probes: Readonly<Record<string, AccountProbe>> = {
  openrouter: { path: "credits", read: readOpenRouter },
  deepseek: { path: "../user/balance", read: readDeepSeek },
  "kimi-coding": { path: "users/me/balance", read: readMoonshot("USD") },
  "kimi-coding-cn": { path: "users/me/balance", read: readMoonshot("CNY") },
  "openai-codex": { path: "../wham/usage", read: readCodex },
  anthropic: {
    path: "api/oauth/usage",
    headers: { "anthropic-beta": "oauth-2025-04-20" },
    read: readAnthropic,
  },
};

function readOpenRouter(body: Readonly<Record<string, unknown>>): readonly AccountLine[] {
  const data = objectIn(body, "data");
  const bought = numberIn(data, "total_credits");
  const used = numberIn(data, "total_usage");
  if (bought === undefined || used === undefined) return [];
  return [{ kind: "balance", label: "credits left", amount: bought - used, currency: "USD" }];
}

function readDeepSeek(body: Readonly<Record<string, unknown>>): readonly AccountLine[] {
  const list = Array.isArray(body["balance_infos"]) ? body["balance_infos"].slice(0, 10) : [];
  return list.filter(isRecord).flatMap((entry) => {
    const amount = numberIn(entry, "total_balance");
    const currency = typeof entry["currency"] === "string" ? entry["currency"].slice(0, 8) : "USD";
    return amount === undefined ? [] : [{ kind: "balance", label: "balance", amount, currency } as const];
  });
}

function readMoonshot(currency: string) {
  return (body: Readonly<Record<string, unknown>>): readonly AccountLine[] => {
    const amount = numberIn(objectIn(body, "data"), "available_balance");
    return amount === undefined ? [] : [{ kind: "balance", label: "balance", amount, currency }];
  };
}

function readCodex(body: Readonly<Record<string, unknown>>, nowMs: number): readonly AccountLine[] {
  const limits = objectIn(body, "rate_limit");
  return (["primary_window", "secondary_window"] as const).flatMap((name) => {
    const window = objectIn(limits, name);
    const usedPercent = numberIn(window, "used_percent");
    if (usedPercent === undefined) return [];
    const seconds = numberIn(window, "reset_after_seconds");
    const at = numberIn(window, "reset_at");
    const resetsAtMs = at !== undefined ? at * 1_000 : seconds === undefined ? undefined : nowMs + seconds * 1_000;
    return [quota(windowLabel(numberIn(window, "limit_window_seconds")), usedPercent, resetsAtMs)];
  });
}

function windowLabel(seconds: number | undefined): string {
  if (seconds === undefined) return "plan";
  const hours = Math.round(seconds / 3_600);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}

function readAnthropic(body: Readonly<Record<string, unknown>>): readonly AccountLine[] {
  const windows = [
    ["five_hour", "5 hours"],
    ["seven_day", "7 days"],
    ["seven_day_opus", "7 days, Opus"],
    ["seven_day_sonnet", "7 days, Sonnet"],
  ] as const;
  return windows.flatMap(([name, label]) => {
    const window = objectIn(body, name);
    const used = numberIn(window, "utilization");
    const at = typeof window["resets_at"] === "string" ? Date.parse(window["resets_at"]) : Number.NaN;
    return used === undefined ? [] : [quota(label, used, Number.isNaN(at) ? undefined : at)];
  });
}

function quota(label: string, usedPercent: number, resetsAtMs: number | undefined): AccountLine {
  return { kind: "quota", label, usedPercent, ...(resetsAtMs === undefined ? {} : { resetsAtMs }) };
}

function objectIn(holder: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> {
  const value = holder[key];
  return isRecord(value) ? value : {};
}

function numberIn(holder: Readonly<Record<string, unknown>>, key: string): number | undefined {
  const value = holder[key];
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}
