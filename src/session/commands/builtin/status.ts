import type { Cost } from "#conversation";
import { totalTokens } from "#conversation";
import { quietly } from "#foundation/files/quietly";
import { shortCount, shortDuration, shortWindow } from "#foundation/text/figures";
import type { SessionInfo } from "../../api.ts";
import { collectInsights } from "../../reports/insights.ts";
import { insightsText } from "../../reports/insights-text.ts";
import type { SideModel } from "../../services/models.ts";
import { defineCommand } from "../command.ts";
import { say, warn } from "../views.ts";

export const versionCommand = defineCommand({
  name: "version",
  description: "Show the version of Hermes",
  category: "Info",
  whileRunning: "now",
  takes: ["machine"],
  run: (_call, { machine }) => Promise.resolve(say(`Hermes ${machine.version}`)),
});

export const statusCommand = defineCommand({
  name: "status",
  description: "Show session, model, where its key comes from, and how full the context is",
  category: "Session",
  whileRunning: "now",
  takes: ["models", "turns", "clock"],
  async run({ session }, { models, turns, clock }) {
    const { info } = session;
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
        ["While busy", turns.busyMode],
        ["Folder", info.cwd],
        ["Open for", shortDuration(clock.now() - info.startedAtMs)],
        ...[...models.facts.warnings, models.facts.windowWarning ?? ""].flatMap((text) =>
          text === "" ? [] : [["Warning", text]],
        ),
      ],
    };
  },
});

export const usageCommand = defineCommand({
  name: "usage",
  description: "Show tokens, cost, context and limits",
  category: "Info",
  whileRunning: "now",
  takes: ["models", "account", "logger"],
  async run({ session, signal }, { models, account, logger }) {
    const { info } = session;
    const { usage } = info;
    const { windowSource } = models.facts;
    const reading = () => models.sideModels(signal);
    const sideModels = (await quietly("looking for the models of side work", reading, { logger, signal })) ?? [];
    const read = () => account.lines(signal);
    const lines = (await quietly("reading account limits", read, { logger, signal, level: "info" })) ?? [
      "limits could not be read",
    ];
    const budget = (await quietly("reading the budget", () => account.budget(), { logger, signal })) ?? [];
    const reasoning = usage.reasoning > 0 ? ` (${shortCount(usage.reasoning)} reasoning)` : "";
    return {
      kind: "table",
      title: "Usage of this session",
      columns: ["", ""],
      rows: [
        ["Model", `${info.model} — ${info.providerLabel}`],
        ["Context", `${contextText(info)}${windowSource === undefined ? "" : `, window from ${windowSource}`}`],
        ["Input", shortCount(usage.input)],
        ["From cache", shortCount(usage.cacheRead)],
        ["Into cache", shortCount(usage.cacheWrite)],
        ["Output", `${shortCount(usage.output)}${reasoning}`],
        [
          "Total",
          `${shortCount(totalTokens(usage))}${usage.isEstimated === true ? " (partly estimated: the server reported no counts)" : ""}`,
        ],
        ["Cost", costText(info.cost)],
        ...sideRows(sideModels),
        ...budget.map((line) => ["Budget", line]),
        ...lines.map((line) => ["Account", line]),
      ],
    };
  },
});

export const contextCommand = defineCommand({
  name: "context",
  description: "Show what fills the context window",
  category: "Info",
  whileRunning: "now",
  takes: ["context"],
  async run({ session }, { context }) {
    const { contextWindow, contextTokens } = session.info;
    const shares = await context.shares();
    const estimated = shares.reduce((sum, { tokens }) => sum + tokens, 0);
    const rows = [...shares, { source: "together", tokens: estimated }].map(({ source, tokens }) => [
      source,
      shortCount(tokens),
      contextWindow === 0 ? "" : `${((tokens / contextWindow) * 100).toFixed(1)}%`,
    ]);
    const counted =
      contextTokens === 0 ? "" : ` The last request had ${contextText({ contextTokens, contextWindow })}.`;
    return { kind: "table", title: `Context, estimated.${counted}`, columns: ["From", "Tokens", "Share"], rows };
  },
});

export function contextText({
  contextTokens,
  contextWindow,
}: Pick<SessionInfo, "contextTokens" | "contextWindow">): string {
  const share = contextWindow === 0 ? 0 : Math.round((contextTokens / contextWindow) * 100);
  return `${shortCount(contextTokens)} of ${shortWindow(contextWindow)} (${share}%)`;
}

/** The models that do side work, each with the tasks it would be asked for. */
function sideRows(sideModels: readonly SideModel[]): string[][] {
  const tasks = new Map<string, string[]>();
  for (const { task, model = "no model" } of sideModels) tasks.set(model, [...(tasks.get(model) ?? []), task]);
  return [...tasks].map(([name, uses]) => ["Side work", `${name}: ${uses.join(", ")}`]);
}

/** An unknown price is said to be unknown; it is never shown as nothing. */
function costText(cost: Cost | undefined): string {
  if (cost === undefined) return "nothing yet";
  const usd = cost.usd === undefined ? undefined : `$${cost.usd.toFixed(4)}`;
  switch (cost.status) {
    case "included":
      return "included in the subscription or free";
    case "unknown":
      return usd === undefined ? "unknown: no price for this model" : `at least ${usd}; some prices are unknown`;
    case "actual":
      return `${usd ?? "not reported"} (as billed by ${cost.source})`;
    case "estimated":
      return `${usd ?? "unknown"} (estimated, prices from ${cost.source})`;
  }
}

export const insightsCommand = defineCommand({
  name: "insights",
  description: "Show how Hermes was used recently",
  category: "Info",
  argsHint: "[days]",
  whileRunning: "now",
  takes: ["store", "clock", "machine"],
  async run({ args, surface, signal }, { store, clock, machine }) {
    const days = args === "" ? 30 : Number(args);
    if (!Number.isInteger(days) || days < 1 || days > 3_650) return warn("Usage: /insights, or /insights 7 for a week");
    const skills = await machine.skillUse();
    const { timeZone } = machine.settings;
    const report = await collectInsights(store, { days, nowMs: clock.now(), skills, timeZone }, signal);
    return say(insightsText(report, { form: surface === "gateway" ? "short" : "full" }));
  },
});
