import Plot from "uplot";

export interface Days {
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly values: readonly number[];
  /** A value as people read it. */
  words(value: number): string;
}

const height = 160;
const axisWidth = 64;

const dayOf = (seconds: number): string =>
  new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" }).format(seconds * 1000);

/** Draws bars, one a day, and keeps them as wide as their box; gives what takes them away. */
export function drawDays(box: HTMLElement, { times, values, words }: Days): () => void {
  // Asked for at every drawing: the page may have changed between light and dark.
  const style = getComputedStyle(box);
  const line = { stroke: () => style.borderTopColor, width: 1 };
  const axis = { stroke: () => style.caretColor, grid: line, ticks: line };
  const bars = Plot.paths.bars?.({ size: [0.7, 24] });
  const plot = new Plot(
    {
      width: box.clientWidth,
      height,
      legend: { show: false },
      cursor: { show: false },
      scales: { y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] } },
      axes: [
        { ...axis, values: (_, marks) => marks.map(dayOf) },
        { ...axis, size: axisWidth, values: (_, marks) => marks.map(words) },
      ],
      series: [
        {},
        { fill: () => style.color, ...(bars === undefined ? {} : { paths: bars }), points: { show: false } },
      ],
    },
    [[...times], [...values]],
    box,
  );
  const scheme = window.matchMedia("(prefers-color-scheme: dark)");
  const redraw = (): void => plot.redraw(false);
  scheme.addEventListener("change", redraw);
  const watch = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height }));
  watch.observe(box);
  return () => {
    watch.disconnect();
    scheme.removeEventListener("change", redraw);
    plot.destroy();
  };
}
