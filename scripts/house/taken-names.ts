import { child, children, isLabel, type Node, nameOf, walk } from "./syntax.ts";

export function typeNames(node: Node): readonly string[] | "all" {
  const name = nameOf(child(node, "qualifier"));
  return name === undefined ? "all" : [name];
}

/** Which names the code around `import(...)` takes from it. */
export function takenNames(node: Node, above: readonly Node[], declaration: Node): readonly string[] | "all" {
  const around = [...above];
  let inner = node;
  let outer = around.pop();
  while (outer?.type === "AwaitExpression" || outer?.type === "ParenthesizedExpression") {
    inner = outer;
    outer = around.pop();
  }
  if (outer?.type === "MemberExpression" && outer["object"] === inner) {
    const name = nameOf(child(outer, "property"));
    if (name !== "then") return name === undefined ? "all" : [name];
    const call = around.pop();
    const callback = call === undefined ? undefined : children(call, "arguments")[0];
    const [parameter] = callback === undefined ? [] : children(callback, "params");
    return callback === undefined || parameter === undefined ? "all" : patternTakes(parameter, callback);
  }
  if (outer?.type === "ArrayExpression") return takenFromList(node, above, declaration);
  if (outer?.type !== "VariableDeclarator") return "all";
  const pattern = child(outer, "id");
  // What is bound at the top of the file may be used by all of it.
  const isTopLevel = around.at(-1) === declaration;
  if (pattern === undefined || (isTopLevel && pattern.type !== "ObjectPattern")) return "all";
  return patternTakes(pattern, declaration);
}

/** `const [{ a }, { b }] = await Promise.all([import(...), import(...)])`. */
function takenFromList(node: Node, above: readonly Node[], declaration: Node): readonly string[] | "all" {
  const list = above.at(-1);
  const declarator = above.findLast(({ type }) => type === "VariableDeclarator");
  const pattern = declarator === undefined ? undefined : child(declarator, "id");
  if (list === undefined || pattern?.type !== "ArrayPattern") return "all";
  const element = children(pattern, "elements")[children(list, "elements").indexOf(node)];
  return element === undefined ? "all" : patternTakes(element, declaration);
}

function patternTakes(pattern: Node, within: Node): readonly string[] | "all" {
  if (pattern.type === "ObjectPattern") {
    return children(pattern, "properties").map((one) => nameOf(child(one, "key")) ?? "");
  }
  const name = nameOf(pattern);
  const names: string[] = [];
  let escapes = name === undefined;
  walk(within, (node, above) => {
    if (node.type !== "Identifier" || nameOf(node) !== name || node === pattern) return;
    const parent = above.at(-1);
    if (isLabel(node, parent)) return;
    const member = parent?.type === "MemberExpression" ? nameOf(child(parent, "property")) : undefined;
    if (member === undefined) escapes = true;
    else names.push(member);
  });
  return escapes ? "all" : names;
}
