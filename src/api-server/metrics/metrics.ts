import { isRecord } from "#foundation/text/json";
import type { Backlog } from "#store";
import type { ApiContext } from "../api-context.ts";
import { alertNames, alertsOf } from "./alerts.ts";
import { processFigures } from "./process-figures.ts";
import { asText, counter, gauge, type Metric, type Values } from "./text-format.ts";

/** `GET /metrics`, in the text format of Prometheus. Figures of the store are those of all processes on it. */
export async function metrics(context: ApiContext): Promise<Response> {
  const [queues, status] = await Promise.all([readQueues(context), context.status()]);
  const metrics = [
    ...queueMetrics(queues),
    ...gatewayMetrics(status),
    ...processFigures(status["processes"]),
    alertMetric(queues, status["platforms"]),
    ...processMetrics(),
  ];
  const body = metrics.map(asText).join("");
  return new Response(body, { headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" } });
}

type Queues = Awaited<ReturnType<typeof readQueues>>;

async function readQueues({ store, clock }: ApiContext) {
  const [inbox, outbox, received, owed, turns] = await Promise.all([
    store.inbox.counts(),
    store.outbox.counts(),
    store.inbox.backlog(),
    store.outbox.backlog(),
    store.gatewayTurns.inProgress(),
  ]);
  return { inbox, outbox, received, owed, turns: turns.length, nowMs: clock.now() };
}

function queueMetrics({ inbox, outbox, received, owed, turns, nowMs }: Queues): readonly Metric[] {
  const age = (backlog: Backlog): Values => [[{}, ageSeconds(backlog, nowMs)]];
  const byPlatform = (backlog: Backlog): Values =>
    Object.entries(backlog.byPlatform).map(([platform, count]) => [{ platform }, count]);
  const byStatus = (counts: Readonly<Record<string, number>>): Values =>
    Object.entries(counts).map(([status, count]) => [{ status }, count]);
  return [
    gauge("hermes_inbox_entries", "Messages received, by what became of them.", byStatus(inbox)),
    gauge("hermes_inbox_age_p95_seconds", "How long messages have been waiting for a turn.", age(received)),
    gauge("hermes_inbox_waiting", "Messages that wait for a turn, by platform.", byPlatform(received)),
    gauge("hermes_outbox_entries", "Messages to send, by what became of them.", byStatus(outbox)),
    gauge("hermes_outbox_age_p95_seconds", "How long messages have been waiting to be sent.", age(owed)),
    gauge("hermes_outbox_waiting", "Messages that wait to be sent, by platform.", byPlatform(owed)),
    gauge("hermes_turns_in_progress", "Conversations that a turn is at work for.", [[{}, turns]]),
  ];
}

function ageSeconds({ p95SinceMs }: Backlog, nowMs: number): number {
  return Math.max(0, nowMs - (p95SinceMs ?? nowMs)) / 1000;
}

function alertMetric({ inbox, outbox, received, nowMs }: Queues, platforms: unknown): Metric {
  const deadEntries = inbox.dead + outbox.dead;
  const alerts = alertsOf({ inboxAgeSeconds: ageSeconds(received, nowMs), deadEntries, platforms, nowMs });
  return gauge(
    "hermes_alert",
    "1 where somebody should have a look.",
    alertNames.map((alert) => [{ alert }, alerts.has(alert) ? 1 : 0]),
  );
}

/** What the gateway on this machine says of itself. */
function gatewayMetrics(status: Readonly<Record<string, unknown>>): readonly Metric[] {
  const { platforms, event_loop_lag_ms: lagMs } = status;
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
    counter("process_cpu_seconds_total", "Processor time of this process.", [[{}, (user + system) / 1e6]]),
  ];
}
