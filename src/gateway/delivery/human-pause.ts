import type { Config } from "#config";

const usual = { min_ms: 800, max_ms: 2500 };

/** How long to wait before a message, so that it feels typed; another time for each. */
export function humanPauseMs(settings: Config["human_delay"]): number {
  if (settings.mode === "off") return 0;
  const { min_ms, max_ms } = settings.mode === "natural" ? usual : settings;
  return min_ms + Math.random() * Math.max(0, max_ms - min_ms);
}
