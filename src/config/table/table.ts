import type { NodeRef, Table, TableNode } from "./node.ts";
import { tableText } from "./schema.generated.ts";

/** The schema as data. Reading it as JSON is many times quicker than building the schema itself. */
const configTable: Table = JSON.parse(tableText);

export const rootRef: NodeRef = configTable.length - 1;

export function nodeAt(ref: NodeRef | undefined): TableNode {
  const node = ref === undefined ? undefined : configTable[ref];
  if (node === undefined) throw new Error(`the table of the configuration has no node ${ref}`);
  return node;
}
