import { type DecodeMemory, decodeExactAt, type ExactJson } from "#foundation/text/exact-json";
import { exactJsonText } from "#foundation/text/exact-json-text";
import { isObject, nameOf } from "./call-object.ts";
import { hexId } from "./ids.ts";
import type { Format, FoundCall } from "./parser.ts";

const tag = "<|python_tag|>";

/** Llama 3 and 4: JSON objects in free text, often behind `<|python_tag|>`. */
export const llama3Json: Format = {
  markers: [tag, "{"],
  newId: hexId(8),
  find(text) {
    const memory: DecodeMemory = new Map();
    const calls: FoundCall[] = [];
    let firstAt: number | undefined;
    let at = text.indexOf("{");
    while (at >= 0) {
      const decoded = decodeExactAt(text, at, memory);
      const call = decoded === undefined ? undefined : callOf(decoded.value);
      if (call !== undefined) {
        firstAt ??= at;
        calls.push(call);
      }
      at = text.indexOf("{", decoded?.end ?? at + 1);
    }
    if (firstAt === undefined) return undefined;
    const tagAt = text.indexOf(tag);
    return { contentEnd: tagAt >= 0 ? tagAt : beforeOpener(text, firstAt), calls };
  },
  render: (calls) =>
    calls.map((call) => `{"name": ${JSON.stringify(call.name)}, "parameters": ${call.arguments}}`).join("; "),
};

/** A call in a list leaves its `[` behind; it belongs to the call, not to the text. */
function beforeOpener(text: string, end: number): number {
  const before = text.slice(0, end).trimEnd();
  return before.endsWith("[") || before.endsWith("{") ? before.length - 1 : end;
}

function callOf(value: ExactJson): FoundCall | undefined {
  const name = nameOf(value);
  if (name === undefined || !isObject(value)) return undefined;
  const args = value.get("arguments") ?? value.get("parameters");
  if (args === undefined || args === null) return undefined;
  return { name, arguments: typeof args === "string" ? args : exactJsonText(args) };
}
