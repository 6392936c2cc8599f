import { isRecord } from "#foundation/text/json";
import type { Backlog } from "#store";
import type { ApiContext } from "../api-context.ts";

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter";
  readonly values: readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];
}

/** `GET /metrics`, in the text format of Prometheus. Figures of the store are those of all processes on it. */
export async function metrics(context: ApiContext): Promise<Response> {
  const [queues, gateway] = await Promise.all([queueMetrics(context), gatewayMetrics(context)]);
  const body = [...queues, ...gateway, ...processMetrics()].map(asText).join("");
  return new Response(body, { headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" } });
}

async function queueMetrics({ store, clock }: ApiContext): Promise<readonly Metric[]> {
  const [inbox, outbox, received, owed, turns] = await Promise.all([
    store.inbox.counts(),
    store.outbox.counts(),
    store.inbox.backlog(),
    store.outbox.backlog(),
    store.gatewayTurns.inProgress(),
  ]);
  const now = clock.now();
  const age = ({ p95SinceMs = now }: Backlog): Metric["values"] => [[{}, Math.max(0, now - p95SinceMs) / 1000]];
  const byPlatform = (backlog: Backlog): Metric["values"] =>
    Object.entries(backlog.byPlatform).map(([platform, count]) => [{ platform }, count]);
  const byStatus = (counts: Readonly<Record<string, number>>): Metric["values"] =>
    Object.entries(counts).map(([status, count]) => [{ status }, count]);
  return [
    gauge("hermes_inbox_entries", "Messages received, by what became of them.", byStatus(inbox)),
    gauge("hermes_inbox_age_p95_seconds", "How long messages have been waiting for a turn.", age(received)),
    gauge("hermes_inbox_waiting", "Messages that wait for a turn, by platform.", byPlatform(received)),
    gauge("hermes_outbox_entries", "Messages to send, by what became of them.", byStatus(outbox)),
    gauge("hermes_outbox_age_p95_seconds", "How long messages have been waiting to be sent.", age(owed)),
    gauge("hermes_outbox_waiting", "Messages that wait to be sent, by platform.", byPlatform(owed)),
    gauge("hermes_turns_in_progress", "Conversations that a turn is at work for.", [[{}, turns.length]]),
  ];
}

/** What the gateway on this machine says of itself. */
async function gatewayMetrics({ status }: ApiContext): Promise<readonly Metric[]> {
  const { platforms, event_loop_lag_ms: lagMs } = await status();
  const states = Object.entries(isRecord(platforms) ? platforms : {}).flatMap(([platform, facts]) =>
    isRecord(facts) && typeof facts["state"] === "string" ? [[platform, facts["state"]] as const] : [],
  );
  return [
    gauge(
      "hermes_platform_connected",
      "1 where the platform is connected.",
      states.map(([platform, state]) => [{ platform, state }, state === "connected" ? 1 : 0]),
    ),
    gauge(
      "hermes_event_loop_lag_seconds",
      "How long everything in the gateway waited for its turn.",
      typeof lagMs === "number" ? [[{}, lagMs / 1000]] : [],
    ),
  ];
}

function processMetrics(): readonly Metric[] {
  const { user, system } = process.cpuUsage();
  return [
    gauge("process_resident_memory_bytes", "Memory of this process.", [[{}, process.memoryUsage.rss()]]),
    {
      name: "process_cpu_seconds_total",
      help: "Processor time of this process.",
      type: "counter",
      values: [[{}, (user + system) / 1e6]],
    },
  ];
}

const gauge = (name: string, help: string, values: Metric["values"]): Metric => ({ name, help, type: "gauge", values });

function asText({ name, help, type, values }: Metric): string {
  const quoted = (text: string): string =>
    `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
  const lines = values.map(([labels, value]) => {
    const named = Object.entries(labels).map(([label, text]) => `${label}=${quoted(text)}`);
    return `${name}${named.length === 0 ? "" : `{${named.join(",")}}`} ${Number.isFinite(value) ? value : 0}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}
