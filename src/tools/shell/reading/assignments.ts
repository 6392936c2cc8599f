import type { Assignment as AssignmentNode } from "unbash";
import { type Assignment, unknownText } from "../simple-command.ts";
import type { ExpandHost } from "./expand-host.ts";
import type { Value } from "./state.ts";
import { expandText, expandWord } from "./words.ts";

/** The plain assignments a node makes; arrays, elements and additions are taken over by the state at once. */
export function readAssignment(node: AssignmentNode, host: ExpandHost): readonly Assignment[] {
  const { state } = host;
  if (node.index !== undefined) expandText(node.index, host);
  if (node.value.type === "ArrayValue") {
    state.set(node.name, listOf(node, host));
    return [];
  }
  const ways = expandText(node.value, host);
  if (node.index !== undefined) {
    state.set(node.name, undefined);
    return [];
  }
  const [only, ...more] = ways;
  if (node.append === true) {
    state.set(node.name, appended(state.get(node.name), more.length === 0 ? (only?.text ?? "") : unknownText));
    return [];
  }
  if (only !== undefined && more.length === 0) return [{ name: node.name, value: only }];
  state.set(
    node.name,
    ways.map((way) => way.text),
  );
  return [];
}

/** The elements of an array as one value; undefined when they are not all known by their place. */
function listOf(node: AssignmentNode, host: ExpandHost): readonly Value[] | undefined {
  if (node.value.type !== "ArrayValue") return undefined;
  const { elements } = node.value;
  const ways = elements.map((element) => expandWord(element, host));
  const items = ways.flatMap((one) => one[0] ?? []);
  const isPlain = ways.every((one) => one.length === 1) && !elements.some((one) => /^\[.*\]\+?=/s.test(one.text));
  const before = node.append === true ? host.state.get(node.name) : [[]];
  if (!isPlain || before?.length !== 1 || items.some((item) => item.mayBeMany || item.hasGlob)) return undefined;
  const [head] = before;
  return [[...(typeof head === "string" ? [head] : (head ?? [])), ...items.map((item) => item.text)]];
}

/** What `x+=text` makes of every value x may have. */
export function appended(values: readonly Value[] | undefined, text: string): readonly Value[] | undefined {
  if (values === undefined) return [`${unknownText}${text}`];
  if (values.length === 0) return [text];
  return values.map((value) =>
    typeof value === "string" ? value + text : [`${value[0] ?? ""}${text}`, ...value.slice(1)],
  );
}
