import type { Cost } from "#conversation";

/** Tokens for people: `999`, `1.23K`, `12.4K`, `124K`, `1.05M`. */
export function formatTokens(count: number): string {
  const value = Math.max(0, Math.round(count));
  if (value < 1_000) return String(value);
  // Rounded first: 999,950 is 1M, not 1000K.
  return value < 999_500 ? `${threeDigits(value / 1_000)}K` : `${threeDigits(value / 1_000_000)}M`;
}

function threeDigits(value: number): string {
  const decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return value.toFixed(decimals);
}

/** A window for people: `128K`, `1M`; what is left over is not worth a digit. */
export function formatWindow(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  if (tokens < 999_500) return `${Math.round(tokens / 1_000)}K`;
  const millions = (tokens / 1_000_000).toFixed(1).replace(/\.0$/, "");
  return `${millions}M`;
}

/** A duration for people: `45s`, `12m`, `2h 5m`, `1.5d`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes}m`;
  if (minutes < 24 * 60) {
    const rest = minutes % 60;
    return rest === 0 ? `${Math.floor(minutes / 60)}h` : `${Math.floor(minutes / 60)}h ${rest}m`;
  }
  return `${(minutes / (24 * 60)).toFixed(1).replace(/\.0$/, "")}d`;
}

/** A cost for people: `$0.06`, `~$0.06`, `included`, `n/a`. */
export function formatCost(cost: Cost): string {
  switch (cost.status) {
    case "included":
      return "included";
    case "unknown":
      return "n/a";
    case "actual":
      return cost.usd === undefined ? "n/a" : formatUsd(cost.usd);
    case "estimated":
      return cost.usd === undefined ? "n/a" : `~${formatUsd(cost.usd)}`;
  }
}

/** Cents from one cent on; below that, enough digits to tell something from nothing. */
export function formatUsd(usd: number): string {
  return usd > 0 && usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}
