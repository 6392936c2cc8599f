import { parseSync } from "oxc-parser";

/** A node of the syntax tree; the fields depend on its type (ESTree with TypeScript). */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** The statements of a source file. Throws when it cannot be read as TypeScript. */
export function statementsOf(file: string, text: string): readonly Node[] {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  return program.body as unknown as readonly Node[];
}

/** Visits a node and all below it, outermost first; `above` are its ancestors, nearest last. */
export function walk(node: Node, visit: (node: Node, above: readonly Node[]) => void, above: Node[] = []): void {
  visit(node, above);
  above.push(node);
  for (const field in node) {
    const value = node[field];
    if (isNode(value)) walk(value, visit, above);
    else if (Array.isArray(value)) for (const one of value) if (isNode(one)) walk(one, visit, above);
  }
  above.pop();
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

/** The node in a field, or undefined. */
export function child(node: Node, field: string): Node | undefined {
  const value = node[field];
  return isNode(value) ? value : undefined;
}

export function children(node: Node, field: string): readonly Node[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The name an identifier or a text key carries. */
export function nameOf(node: Node | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (node.type === "Literal") return typeof node["value"] === "string" ? node["value"] : undefined;
  return typeof node["name"] === "string" ? node["name"] : undefined;
}

/** Whether an identifier only labels a member of its parent and refers to nothing in scope. */
export function isLabel(node: Node, parent: Node | undefined): boolean {
  if (parent === undefined || parent["computed"] === true) return false;
  switch (parent.type) {
    case "MemberExpression":
      return parent["property"] === node;
    case "Property":
      return parent["key"] === node && parent["shorthand"] !== true;
    case "MethodDefinition":
    case "PropertyDefinition":
    case "AccessorProperty":
    case "TSMethodSignature":
    case "TSPropertySignature":
    case "TSAbstractMethodDefinition":
    case "TSAbstractPropertyDefinition":
      return parent["key"] === node;
    case "TSQualifiedName":
      return parent["right"] === node;
    case "TSImportType":
    case "ImportSpecifier":
    case "ExportSpecifier":
    case "LabeledStatement":
      return true;
    default:
      return false;
  }
}
