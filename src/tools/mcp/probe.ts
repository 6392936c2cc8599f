import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import type { McpServerSettings } from "../contract/mcp-settings.ts";
import { openSession } from "./connection/session.ts";
import type { McpCatalogue } from "./definition.ts";
import type { McpDeps } from "./deps.ts";

/** Connects once, lists, and leaves: what `hermes mcp test` shows. Nothing is registered, nothing stays running. */
export async function probeServer(
  settings: McpServerSettings,
  deps: McpDeps,
  signal: AbortSignal,
): Promise<McpCatalogue> {
  using limit = deadline(settings.connectTimeoutMs, `no answer within ${settings.connectTimeoutMs / 1000} s`);
  const bounded = linkSignals(signal, limit.signal);
  const log = deps.openServerLog(settings.name);
  await using session = await openSession(
    settings,
    {
      deps,
      log,
      sampler: undefined,
      caller: () => undefined,
      starter: () => undefined,
      unheld: {},
      onListChanged: () => undefined,
    },
    bounded,
  );
  return await session.list(bounded);
}
