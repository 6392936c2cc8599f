import { shortCount, shortDuration, stopwatch } from "#foundation/text/figures";
import { stripAnsi, truncateEnd } from "#foundation/text/text";
import { displayWidth } from "#foundation/text/width";
import type { ProgressView } from "./run-progress.ts";

const barWidth = 30;

/** A run as a few lines of a terminal: figures first, then what is worked on, as much of it as fits. */
export function progressLines(
  view: ProgressView,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): readonly string[] {
  const { running } = view;
  const room = Math.max(0, Math.min(running.length, rows - 4));
  const hidden = running.length - room;
  const lines = [
    `${view.title} · ${view.model}`,
    [bar(view), figures(view)].filter((part) => part !== "").join(" · "),
    usage(view),
    ...running
      .slice(0, room)
      .map(({ item, turn, last }) => `  ${item} · turn ${turn}${last === "" ? "" : ` · ${oneLine(last)}`}`),
    ...(hidden > 0 ? [`  and ${hidden} more`] : []),
  ];
  return lines.map((line) => cutToWidth(line, Math.max(10, columns - 1)));
}

function bar({ done, total }: ProgressView): string {
  if (total === null || total === 0) return `${done} done`;
  const filled = Math.min(barWidth, Math.round((done / total) * barWidth));
  return `${"█".repeat(filled)}${"░".repeat(barWidth - filled)} ${done}/${total}`;
}

function figures({ done, passed, errors, interval, left_ms, is_finished }: ProgressView): string {
  const percent = (share: number): string => (share * 100).toFixed(0);
  const range = `95%: ${percent(interval.low)}–${percent(interval.high)}`;
  return [
    ...(done === 0 ? [] : [`${passed} passed (${percent(passed / done)}%, ${range})`]),
    ...(errors === 0 ? [] : [`${errors} errors`]),
    ...(left_ms === undefined || is_finished ? [] : [`${shortDuration(left_ms)} left`]),
  ].join(" · ");
}

function usage({ tokens, cost_usd, latency, elapsed_ms }: ProgressView): string {
  const cost = cost_usd === 0 ? "" : ` · $${cost_usd.toFixed(4)}`;
  return `${shortDuration(elapsed_ms)} · ${shortCount(tokens)} tokens${cost} · model p50 ${stopwatch(latency.p50)}, p95 ${stopwatch(latency.p95)}`;
}

/** What a model wrote moves no cursor here. */
function oneLine(text: string): string {
  return stripAnsi(text).replace(/[\s\p{Cc}]+/gu, " ");
}

function cutToWidth(line: string, columns: number): string {
  for (let most = columns; ; most -= 1) {
    const cut = truncateEnd(line, most);
    if (displayWidth(cut) <= columns || most <= 1) return cut;
  }
}
