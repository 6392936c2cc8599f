type Labels = Readonly<Record<string, string>>;

/** How many observations there were, of what sum, and how many up to each bound. */
export interface Distribution {
  readonly upTo: readonly (readonly [bound: number, count: number])[];
  readonly count: number;
  readonly sum: number;
}

export type Metric = { readonly name: string; readonly help: string } & (
  | { readonly type: "gauge" | "counter"; readonly values: readonly (readonly [Labels, number])[] }
  | { readonly type: "histogram"; readonly values: readonly (readonly [Labels, Distribution])[] }
);

export type Values = readonly (readonly [Labels, number])[];

export const gauge = (name: string, help: string, values: Values): Metric => ({ name, help, type: "gauge", values });

export const counter = (name: string, help: string, values: Values): Metric => ({
  name,
  help,
  type: "counter",
  values,
});

/** A metric in the text format of Prometheus. */
export function asText(metric: Metric): string {
  const { name, help, type } = metric;
  const lines =
    metric.type === "histogram"
      ? metric.values.flatMap(([labels, distribution]) => histogramLines(name, labels, distribution))
      : metric.values.map(([labels, value]) => line(name, labels, value));
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function histogramLines(name: string, labels: Labels, { upTo, count, sum }: Distribution): readonly string[] {
  return [
    ...upTo.map(([bound, most]) => line(`${name}_bucket`, { ...labels, le: String(bound) }, most)),
    line(`${name}_bucket`, { ...labels, le: "+Inf" }, count),
    line(`${name}_sum`, labels, sum),
    line(`${name}_count`, labels, count),
  ];
}

function line(name: string, labels: Labels, value: number): string {
  const named = Object.entries(labels).map(([label, text]) => `${label}=${quoted(text)}`);
  return `${name}${named.length === 0 ? "" : `{${named.join(",")}}`} ${Number.isFinite(value) ? value : 0}\n`;
}

function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
