import type { Hermes } from "#app";
import { defined } from "#foundation/defined";
import { readTextFile } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { isRecord, parseJson } from "#foundation/text/json";
import type { BannerFacts, TuiFacts } from "#tui";
import { compareVersions } from "../compare-versions.ts";
import { version } from "../version.ts";

/** What the screen learns from the opened program: servers, skills and the signs of tools. */
export async function openedFacts(
  { toolbox, skills }: Hermes,
  offers: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<TuiFacts> {
  const tools = [...toolbox.registry.snapshot().tools.values()];
  return {
    banner: {
      ...defined({ offers }),
      mcpServers: toolbox.mcp.status().map(({ name, state }) => ({ name, state: serverState(state) })),
      skillCategories: byCategory((await skills.library.visible("cli", signal)).map(({ category }) => category)),
    },
    toolEmojis: Object.fromEntries(tools.flatMap(({ name, emoji }) => (emoji === undefined ? [] : [[name, emoji]]))),
  };
}

function serverState(state: string): NonNullable<BannerFacts["mcpServers"]>[number]["state"] {
  if (state === "connected") return "ready";
  return state === "connecting" || state === "not started" ? "starting" : "failed";
}

/** Counted by the first part of the category; those without one are at the end. */
function byCategory(categories: readonly string[]): NonNullable<BannerFacts["skillCategories"]> {
  const counts = new Map<string, number>();
  for (const category of [...categories].sort((left, right) => Number(left === "") - Number(right === ""))) {
    const name = category.split("/")[0] || "other";
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => ({ name, count }));
}

/** A line about a newer version, when the last look for one found it. Nobody is asked for it now. */
export async function updateNotice(home: HermesHome): Promise<string | undefined> {
  const text = await readTextFile(home.updateCheck, { maxBytes: 4096 }).catch(() => undefined);
  const parsed = text === undefined ? undefined : parseJson(text);
  const newest = parsed?.ok === true && isRecord(parsed.value) ? parsed.value["newest"] : undefined;
  if (typeof newest !== "string" || !/^[\w.+-]{1,40}$/.test(newest) || compareVersions(newest, version) <= 0)
    return undefined;
  return `Hermes ${newest} is available; you have ${version}. Run: hermes update`;
}
