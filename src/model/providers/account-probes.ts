import { defined } from "#foundation/defined";
import { isRecord } from "#foundation/text/json";

/** One thing a provider says about the account: money left, or a share used of a plan. */
export type AccountLine =
  | { readonly kind: "balance"; readonly label: string; readonly amount: number; readonly currency: string }
  | { readonly kind: "quota"; readonly label: string; readonly usedPercent: number; readonly resetsAtMs?: number };

/** How a provider is asked what is left of the account. */
export interface AccountProbe {
  /** Relative to the base URL of the target. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  read(body: Readonly<Record<string, unknown>>, nowMs: number): readonly AccountLine[];
}

export const openRouterAccount: AccountProbe = { path: "credits", read: readOpenRouter };
export const deepSeekAccount: AccountProbe = { path: "../user/balance", read: readDeepSeek };
export const codexAccount: AccountProbe = { path: "../wham/usage", read: readCodex };
export const anthropicAccount: AccountProbe = {
  path: "api/oauth/usage",
  headers: { "anthropic-beta": "oauth-2025-04-20" },
  read: readAnthropic,
};

export function moonshotAccount(currency: string): AccountProbe {
  return {
    path: "users/me/balance",
    read(body) {
      const amount = numberIn(objectIn(body, "data"), "available_balance");
      return amount === undefined ? [] : [{ kind: "balance", label: "balance", amount, currency }];
    },
  };
}

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
  return { kind: "quota", label, usedPercent, ...defined({ resetsAtMs }) };
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
