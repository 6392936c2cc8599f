/** Charts as SVG text: they open without a network and print. Every chart says in words what it shows. */

const width = 640;
const rowHeight = 22;
const labelWidth = 170;

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** The part of the value that went wrong. */
  readonly failed?: number | undefined;
}

export function barChart(title: string, bars: readonly Bar[]): string {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const scale = (value: number): number => (value / most) * (width - labelWidth - 70);
  const rows = bars.map(({ label, value, failed = 0 }, index) => {
    const y = index * rowHeight;
    const text = `${formatted(value)}${failed > 0 ? ` (${formatted(failed)} failed)` : ""}`;
    return `<text x="${labelWidth - 8}" y="${y + 15}" text-anchor="end">${escapeHtml(label)}</text>
<rect x="${labelWidth}" y="${y + 3}" width="${scale(value)}" height="16" class="bar"/>
<rect x="${labelWidth}" y="${y + 3}" width="${scale(failed)}" height="16" class="bad"/>
<text x="${labelWidth + scale(value) + 6}" y="${y + 15}">${text}</text>`;
  });
  const words = bars.map(({ label, value }) => `${label} ${formatted(value)}`).join(", ");
  return figure(title, { words, height: bars.length * rowHeight, content: rows.join("\n") });
}

/** How often values fall into each of at most twelve ranges. */
export function histogram(title: string, values: readonly number[], unit = ""): string {
  if (values.length === 0) return figure(title, { words: "nothing to show", height: 10, content: "" });
  const low = Math.min(...values);
  const high = Math.max(...values);
  const isWhole = values.every(Number.isInteger) && high - low < 12;
  const count = isWhole ? high - low + 1 : 12;
  const step = isWhole ? 1 : (high - low) / count || 1;
  const bars = Array.from({ length: count }, (_, index) => {
    const from = low + index * step;
    const isLast = index === count - 1;
    const within = values.filter((value) => value >= from && (isLast || value < from + step));
    const label = isWhole ? `${from}${unit}` : `${formatted(from)}–${formatted(from + step)}${unit}`;
    return { label, value: within.length };
  });
  return barChart(title, bars);
}

export interface Point {
  readonly x: number;
  readonly y: number;
  readonly label: string;
}

export function scatter(
  title: string,
  points: readonly Point[],
  axes: { readonly x: string; readonly y: string },
): string {
  const height = 240;
  const span = (values: readonly number[]) => {
    const low = Math.min(0, ...values);
    const range = Math.max(...values, low + 1e-9) - low;
    return (value: number): number => (value - low) / range;
  };
  const [x, y] = [span(points.map((point) => point.x)), span(points.map((point) => point.y))];
  const dots = points.map(
    (point) =>
      `<circle cx="${40 + x(point.x) * (width - 60)}" cy="${height - 30 - y(point.y) * (height - 50)}" r="4" class="dot"><title>${escapeHtml(point.label)}</title></circle>`,
  );
  const content = `<line x1="40" y1="${height - 30}" x2="${width - 10}" y2="${height - 30}" class="axis"/>
<line x1="40" y1="10" x2="40" y2="${height - 30}" class="axis"/>
<text x="${width - 10}" y="${height - 10}" text-anchor="end">${escapeHtml(axes.x)}</text><text x="44" y="18">${escapeHtml(axes.y)}</text>
${dots.join("\n")}`;
  return figure(title, { words: `${points.length} points, ${axes.y} over ${axes.x}`, height, content });
}

function figure(
  title: string,
  { words, height, content }: { readonly words: string; readonly height: number; readonly content: string },
): string {
  return `<figure><figcaption>${escapeHtml(title)}</figcaption>
<svg viewBox="0 0 ${width} ${Math.max(height, 1)}" width="${width}" height="${Math.max(height, 1)}" role="img" aria-label="${escapeHtml(`${title}: ${words}`)}">
${content}
</svg></figure>`;
}

export function formatted(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString("en");
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3).replace(/\.?0+$/, "");
}
