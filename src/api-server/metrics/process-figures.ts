import { isRecord } from "#foundation/text/json";
import { counter, type Distribution, type Metric, type Values } from "./text-format.ts";

type Facts = Readonly<Record<string, unknown>>;

/**
 * What the processes of the gateway on this machine counted since they started. Each has a label of its own: a sum over
 * processes would go down when one ends, and a counter never does.
 */
export function processFigures(processes: unknown): readonly Metric[] {
  const all = (Array.isArray(processes) ? processes : []).flatMap((one: unknown) =>
    isRecord(one) && typeof one["pid"] === "number"
      ? [{ pid: String(one["pid"]), figures: record(one["figures"]) }]
      : [],
  );
  const each = <T>(name: string, label: string, read: (value: unknown) => T) =>
    all.flatMap(({ pid, figures }) =>
      Object.entries(record(figures[name])).map(([key, value]) => [{ [label]: key, pid }, read(value)] as const),
    );
  const waits = (part: string): Values => each("rate_limit_waits", "platform", (value) => number(record(value)[part]));
  return [
    {
      name: "hermes_turn_duration_seconds",
      help: "How long turns took that messages on a platform began.",
      type: "histogram",
      values: each("turn_seconds", "platform", distribution),
    },
    counter(
      "hermes_lease_losses_total",
      "Rights that another process took over while this one held them.",
      each("lease_losses", "lease", number),
    ),
    counter(
      "hermes_platform_reconnects_total",
      "Connections made again after they were lost.",
      each("reconnects", "platform", number),
    ),
    counter(
      "hermes_rate_limit_waits_total",
      "How often something to send waited for the pace of its platform.",
      waits("count"),
    ),
    counter(
      "hermes_rate_limit_wait_seconds_total",
      "How long messages waited for the pace of their platform.",
      waits("seconds"),
    ),
  ];
}

function distribution(value: unknown): Distribution {
  const { up_to: upTo, count, seconds } = record(value);
  const bounds = Object.entries(record(upTo)).map(([bound, most]) => [Number(bound), number(most)] as const);
  return { upTo: bounds.sort(([left], [right]) => left - right), count: number(count), sum: number(seconds) };
}

function record(value: unknown): Facts {
  return isRecord(value) ? value : {};
}

function number(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
