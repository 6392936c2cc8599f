import { readFile } from "node:fs/promises";
import type { Hermes } from "#app";
import type { Deliverer } from "#cron";
import { systemErrorCode } from "#foundation/errors";
import { isRecord, parseJson } from "#foundation/text/json";
import { systemClock } from "#foundation/time/clock";

export interface ApiHost {
  readonly hermes: Hermes;
  readonly cwd: string;
  /** The gateway of this process, where there is one. */
  readonly deliverer?: Deliverer | undefined;
  onReady(url: string): void;
}

/** Serves the HTTP API of a Hermes until the signal; refuses settings that would leave it open to others. */
export async function serveApiOf({ hermes, cwd, deliverer, onReady }: ApiHost, signal: AbortSignal): Promise<void> {
  const { apiSettings, serveApi } = await import("#api-server");
  const { home, loaded, logger, store, sessions, jobs, toolbox } = hermes;
  await serveApi(
    {
      settings: apiSettings(loaded.config, home.profileName),
      sessions,
      store,
      jobs,
      clock: systemClock,
      logger,
      cwd,
      deliverer,
      status: () => processStatus(home.gatewayState),
      redact: (text) => toolbox.redact(text),
      onReady,
    },
    signal,
  );
}

/** What the gateway says of itself, where one runs; and this process. */
async function processStatus(file: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return "{}";
    throw error;
  });
  const parsed = parseJson(text);
  const state = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
  return {
    status: "ok",
    platform: "hermes-agent",
    gateway_state: state["gateway_state"] ?? null,
    platforms: state["platforms"] ?? {},
    active_agents: state["active_agents"] ?? 0,
    event_loop_lag_ms: state["event_loop_lag_ms"] ?? null,
    exit_reason: state["exit_reason"] ?? null,
    updated_at: state["updated_at"] ?? null,
    pid: process.pid,
  };
}
