import type { Cost } from "#conversation";
import { totalTokens } from "#conversation";
import { shortCount, shortDuration, shortWindow } from "#foundation/text/figures";
import type { SessionInfo } from "../api.ts";
import type { CommandContext, SlashCommand } from "./command.ts";

export const statusCommand: SlashCommand = {
  name: "status",
  description: "Show session, model, where its key comes from, and how full the context is",
  category: "Session",
  whileRunning: "now",
  async run({ session, deps }) {
    const { info } = session;
    const warnings = session.handle.facts().warnings.map((text) => ["Warning", text]);
    return {
      kind: "table",
      title: "Status",
      columns: ["", ""],
      rows: [
        ["Session", info.title === undefined ? info.id : `${info.title} (${info.id})`],
        ["Model", `${info.model} — ${info.providerLabel}${info.isDemo ? " (demo: no real model is connected)" : ""}`],
        ["Key from", info.modelSource],
        ...(info.fallbackActive ? [["Fallback", "in use: the chosen model could not answer"]] : []),
        ["Context", contextText(info)],
        ["Messages", String(session.history.length)],
        ["Running", info.isBusy ? "a turn" : "nothing"],
        ["Approvals", info.isYolo ? "off for this session" : "on"],
        ["While busy", session.busyMode],
        ["Folder", info.cwd],
        ["Open for", shortDuration(deps.clock.now() - info.startedAtMs)],
        ...warnings,
      ],
    };
  },
};

export const usageCommand: SlashCommand = {
  name: "usage",
  description: "Show tokens, cost, context and limits",
  category: "Info",
  whileRunning: "now",
  async run({ session, deps, signal }) {
    const { info } = session;
    const { usage } = info;
    const account = await accountLines(session.handle, deps, signal);
    return {
      kind: "table",
      title: "Usage of this session",
      columns: ["", ""],
      rows: [
        ["Model", `${info.model} — ${info.providerLabel}`],
        ["Context", `${contextText(info)}${windowSource(session.handle)}`],
        ["Input", shortCount(usage.input)],
        ["From cache", shortCount(usage.cacheRead)],
        ["Into cache", shortCount(usage.cacheWrite)],
        [
          "Output",
          `${shortCount(usage.output)}${usage.reasoning > 0 ? ` (${shortCount(usage.reasoning)} reasoning)` : ""}`,
        ],
        ["Total", shortCount(totalTokens(usage))],
        ["Cost", costText(info.cost)],
        ...account.map((line) => ["Account", line]),
      ],
    };
  },
};

export function contextText({
  contextTokens,
  contextWindow,
}: Pick<SessionInfo, "contextTokens" | "contextWindow">): string {
  const share = contextWindow === 0 ? 0 : Math.round((contextTokens / contextWindow) * 100);
  return `${shortCount(contextTokens)} of ${shortWindow(contextWindow)} (${share} %)`;
}

/** An unknown price is said to be unknown; it is never shown as nothing. */
function costText(cost: Cost | undefined): string {
  if (cost === undefined) return "nothing yet";
  const usd = cost.usd === undefined ? undefined : `$${cost.usd.toFixed(4)}`;
  switch (cost.status) {
    case "included":
      return "included in the subscription or free";
    case "unknown":
      return usd === undefined ? "not known: no price for this model" : `at least ${usd}; some prices are not known`;
    case "actual":
      return `${usd ?? "not told"} (as billed by ${cost.source})`;
    case "estimated":
      return `${usd ?? "not known"} (estimated, prices from ${cost.source})`;
  }
}

function windowSource(handle: CommandContext["session"]["handle"]): string {
  const { contextSource } = handle.facts();
  return contextSource === undefined ? "" : `, window from ${contextSource}`;
}

async function accountLines(
  handle: CommandContext["session"]["handle"],
  deps: CommandContext["deps"],
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    return await handle.account(signal);
  } catch (error) {
    if (signal.aborted) throw error;
    deps.logger.info("account limits could not be read", { error: String(error) });
    return ["limits could not be read"];
  }
}
