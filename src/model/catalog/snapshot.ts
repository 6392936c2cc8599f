import { defined } from "#foundation/defined";
import type { Capability, ModelFacts, Prices } from "../model-facts.ts";
import { plainModelName } from "./model-name.ts";
import { catalogueFacts } from "./provider-facts.ts";
import shipped from "./snapshot.json" with { type: "json" };

/** One row of the table that ships with the program. */
interface SnapshotRow {
  readonly provider: string;
  readonly model: string;
  readonly window: number;
  readonly output?: number;
  readonly can: readonly string[];
  readonly prices?: Prices;
}

const rows: readonly SnapshotRow[] = shipped.models;

/** Names the state of the table; stored beside every cost that was computed from it. */
export const snapshotVersion: string = shipped.version;

/**
 * What the shipped table says about a model at a provider. Dates and ways of writing do not matter.
 * Windows and capabilities also hold for the same model elsewhere; prices never do.
 */
export function snapshotFacts(provider: string, model: string): ModelFacts | undefined {
  const name = plainModelName(model);
  const own = rows.find((row) => row.provider === provider && isSame(row, model, name));
  if (own !== undefined) return factsOf(own);
  // Only of those who make the model; a reseller's window says nothing about anyone else.
  const elsewhere = rows.find((row) => catalogueFacts(row.provider).isMaker === true && isSame(row, model, name));
  if (elsewhere === undefined) return undefined;
  const { prices: _prices, ...rest } = factsOf(elsewhere);
  return rest;
}

function isSame(row: SnapshotRow, model: string, name: string): boolean {
  if (row.model === model) return true;
  // A plain name's first word stands in the full one as it is; that tells most rows apart without reading them.
  const [word = ""] = name.split("-", 1);
  return row.model.toLowerCase().includes(word) && plainModelName(row.model) === name;
}

function factsOf(row: SnapshotRow): ModelFacts {
  return {
    contextWindow: row.window,
    ...defined({ maxOutputTokens: row.output }),
    capabilities: row.can as readonly Capability[],
    ...defined({ prices: row.prices }),
  };
}
