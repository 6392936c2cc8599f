import type { ReloadScope } from "../sections/setting.ts";

/** All distinct nodes of the schema, parts before wholes; the last one is the configuration itself. */
export type Table = readonly TableNode[];

/** Position of a node in its table. Most keys are like another one, so there are far fewer nodes than keys. */
export type NodeRef = number;

/**
 * One kind of key as plain data: enough to take a file apart and to recognise settings that are plainly good.
 * The table is written by `scripts/generate-config.ts` and never by hand.
 */
export type TableNode = NodeFacts &
  (
    | { readonly kind: "object"; readonly fields: Readonly<Record<string, NodeRef>> }
    | { readonly kind: "map"; readonly value: NodeRef }
    | { readonly kind: "list"; readonly item: NodeRef }
    | { readonly kind: "union"; readonly options: readonly NodeRef[] }
    | { readonly kind: "choice"; readonly choices: readonly string[] }
    | { readonly kind: "number"; readonly whole?: true; readonly min?: number; readonly max?: number }
    | { readonly kind: "text" }
    | { readonly kind: "flag" }
    | { readonly kind: "anything" }
  );

/** What is true of a key whatever its kind. Facts that are not there are not so. */
export interface NodeFacts {
  /** Without a value the key is left out, or is the empty group with its defaults; else `default` counts. */
  readonly absent?: "left-out" | "empty";
  readonly default?: unknown;
  readonly nullable?: true;
  readonly seal?: SealName;
  readonly secret?: true;
  readonly clamp?: true;
  /** Only where it differs from the enclosing group. */
  readonly reload?: ReloadScope;
}

/** How a checked value is wrapped: a text, the entries of a map, those of each map of a list, or by name all the way down. */
export type SealName = "text" | "entries" | "each" | "names";
