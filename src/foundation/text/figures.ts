/** Figures as people read them, the same everywhere. */
export function plural(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

/** `999`, `1.23K`, `12.4K`, `124K`, `1.05M`. */
export function shortCount(count: number): string {
  const value = Math.max(0, Math.round(count));
  if (value < 1_000) return String(value);
  // Rounded first: 999,950 is 1M, not 1000K.
  return value < 999_500 ? `${threeDigits(value / 1_000)}K` : `${threeDigits(value / 1_000_000)}M`;
}

function threeDigits(value: number): string {
  const decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return String(Number(value.toFixed(decimals)));
}

/** The size of a context window: `128K`, `1M`; what is left over is not worth a digit. */
export function shortWindow(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  if (tokens < 999_500) return `${Math.round(tokens / 1_000)}K`;
  return `${(tokens / 1_000_000).toFixed(1).replace(/\.0$/, "")}M`;
}

/** `45s`, `12m`, `2h 5m`, `1.5d`. */
export function shortDuration(ms: number): string {
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

/** Time as it runs: `1.2s`, `2m 05s`. */
export function stopwatch(ms: number): string {
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, "0")}s`;
}

/** `just now`, `5m ago`, `3h ago`, `yesterday`, `4d ago`, then the date. */
export function relativeTime(thenMs: number, nowMs: number): string {
  const minutes = Math.floor(Math.max(0, nowMs - thenMs) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes}m ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}h ago`;
  const days = Math.floor(hours / 24);
  if (days === 1) return "yesterday";
  return days < 7 ? `${days}d ago` : new Date(thenMs).toISOString().slice(0, 10);
}

/** `1.4 MB`. */
export function byteSize(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value >= 100 ? Math.round(value) : Number(value.toFixed(1))} ${units[unit]}`;
}
