/** Figures as people read them, the same on every surface. */
export function plural(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
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

/** `950`, `12.4K`, `200K`, `1.2M`. */
export function shortCount(value: number): string {
  const units = [
    [1_000_000, "M"],
    [1_000, "K"],
  ] as const;
  for (const [size, unit] of units) {
    if (value < size) continue;
    const scaled = Math.round((value / size) * 10) / 10;
    return `${scaled >= 100 ? Math.round(scaled) : scaled}${unit}`;
  }
  return String(value);
}

export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h ${minutes % 60}m` : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}
