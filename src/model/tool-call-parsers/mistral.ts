import { type DecodeMemory, decodeExactAt, type ExactJson } from "#foundation/text/exact-json";
import { exactJsonText } from "#foundation/text/exact-json-text";
import { isObject, nameOf } from "./call-object.ts";
import { mistralId } from "./ids.ts";
import type { Format, FoundCall, ParseOptions } from "./parser.ts";

const marker = "[TOOL_CALLS]";

/** Mistral: a JSON list behind the marker (older), or `name{json}` behind each marker (v11 and later). */
export const mistral: Format = {
  markers: [marker],
  newId: mistralId,
  find(text, options) {
    const contentEnd = text.indexOf(marker);
    const body = text.slice(contentEnd + marker.length);
    const isList = /^\s*[[{]/.test(body);
    const calls = isList ? listForm(body) : nameForm(body, options);
    return calls.length === 0 ? undefined : { contentEnd, calls };
  },
  render: (calls) => calls.map((call) => `${marker}${call.name}${call.arguments}`).join(""),
};

function listForm(body: string): readonly FoundCall[] {
  const memory: DecodeMemory = new Map();
  const decoded = decodeExactAt(body, 0, memory);
  if (decoded !== undefined) {
    const items = Array.isArray(decoded.value) ? (decoded.value as readonly ExactJson[]) : [decoded.value];
    return items.flatMap((item) => callOf(item) ?? []);
  }
  return everyObject(body, memory);
}

/** The list was cut: every object in it that is whole. */
function everyObject(body: string, memory: DecodeMemory): readonly FoundCall[] {
  const calls: FoundCall[] = [];
  let at = body.indexOf("{");
  while (at >= 0) {
    const decoded = decodeExactAt(body, at, memory);
    const call = decoded === undefined ? undefined : callOf(decoded.value);
    if (call !== undefined) calls.push(call);
    at = body.indexOf("{", decoded?.end ?? at + 1);
  }
  return calls;
}

function callOf(item: ExactJson): FoundCall | undefined {
  const name = nameOf(item);
  if (name === undefined || !isObject(item)) return undefined;
  const args = item.get("arguments");
  const text = args === undefined || args === null ? "{}" : typeof args === "string" ? args : exactJsonText(args);
  return { name, arguments: text };
}

function nameForm(body: string, options: ParseOptions): readonly FoundCall[] {
  const parts = body.split(marker);
  return parts.flatMap((part, index) => {
    const brace = part.indexOf("{");
    if (brace < 0) return [];
    const head = /^\s*([^[\s]*)\s*(?:\[CALL_ID\]\s*([^[\s]+)\s*)?(?:\[ARGS\])?\s*$/.exec(part.slice(0, brace));
    const name = head?.[1] ?? part.slice(0, brace).trim();
    if (name === "") return [];
    const decoded = decodeExactAt(part, brace);
    const isCut = decoded === undefined && index === parts.length - 1;
    if (isCut && options.finishReason === "length") return [];
    const args = decoded === undefined ? part.slice(brace).trimEnd() : exactJsonText(decoded.value);
    return [{ name, arguments: args, ...(head?.[2] === undefined ? {} : { id: head[2] }) }];
  });
}
