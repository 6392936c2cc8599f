import type { Facts, Shape } from "../shape.ts";
import type { NodeRef, TableNode } from "./node.ts";
import { nodeAt, rootRef } from "./table.ts";

type Inherited = Pick<Facts, "reload" | "isSecret">;

const outermost: Inherited = { reload: "next-session", isSecret: false };

/** The shape of the configuration, made from the table: the same as that of the schema, without loading the schema. */
export function tableShape(ref: NodeRef = rootRef, inherited: Inherited = outermost): Shape {
  const node = nodeAt(ref);
  const facts = factsOf(node, inherited);
  switch (node.kind) {
    case "object":
      return objectShape(node.fields, facts);
    case "map":
      return { kind: "map", value: tableShape(node.value, facts), facts };
    case "list":
      return { kind: "list", item: tableShape(node.item, facts), facts };
    case "union":
      return { kind: "union", options: node.options.map((option) => tableShape(option, facts)), facts };
    case "choice":
      return { kind: "choice", choices: node.choices, facts };
    case "text":
    case "flag":
    case "number":
      return { kind: "scalar", type: node.kind, facts };
    case "anything":
      return { kind: "anything", facts };
  }
}

/** A load looks at few of the many keys, so the fields of a group are made when somebody asks. */
function objectShape(fields: Readonly<Record<string, NodeRef>>, facts: Facts): Shape {
  let known: ReadonlyMap<string, Shape> | undefined;
  return {
    kind: "object",
    facts,
    get fields() {
      known ??= shapesOf(fields, facts);
      return known;
    },
  };
}

function shapesOf(fields: Readonly<Record<string, NodeRef>>, facts: Facts): ReadonlyMap<string, Shape> {
  const shapes = new Map<string, Shape>();
  for (const key in fields) shapes.set(key, tableShape(fields[key], facts));
  return shapes;
}

function factsOf(node: TableNode, inherited: Inherited): Facts {
  const isNumber = node.kind === "number";
  return {
    reload: node.reload ?? inherited.reload,
    isSecret: node.secret ?? inherited.isSecret,
    isNullable: node.nullable ?? false,
    isClamped: node.clamp ?? false,
    isWhole: isNumber && (node.whole ?? false),
    min: isNumber ? node.min : undefined,
    max: isNumber ? node.max : undefined,
  };
}
