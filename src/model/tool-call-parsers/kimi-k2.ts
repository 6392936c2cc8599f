import { finder } from "./finder.ts";
import { hexId } from "./ids.ts";
import type { Format, FoundCall } from "./parser.ts";

const sectionBegins = ["<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"];
const sectionEnd = "<|tool_calls_section_end|>";
const begin = "<|tool_call_begin|>";
const argumentBegin = "<|tool_call_argument_begin|>";
const end = "<|tool_call_end|>";

/** Kimi K2: calls in a section, each with an id like `functions.get_weather:0` that also names the function. */
export const kimiK2: Format = {
  markers: sectionBegins,
  newId: hexId(8),
  find(text) {
    const starts = sectionBegins.map((marker) => text.indexOf(marker)).filter((at) => at >= 0);
    const contentEnd = Math.min(...starts);
    const calls: FoundCall[] = [];
    const nextEnd = finder(text, end);
    let at = text.indexOf(begin, contentEnd);
    while (at >= 0) {
      const next = text.indexOf(begin, at + begin.length);
      const closeAt = nextEnd(at);
      // A call that another one interrupts is not whole; look at the next one.
      if (closeAt >= 0 && (next < 0 || closeAt < next)) {
        const call = readCall(text.slice(at + begin.length, closeAt));
        if (call !== undefined) calls.push(call);
      }
      at = next;
    }
    return { contentEnd, calls };
  },
  render: (calls) =>
    `${sectionBegins[0]}${calls
      .map(
        (call, index) =>
          `${begin}${call.id ?? `functions.${call.name}:${index}`}${argumentBegin}${call.arguments}${end}`,
      )
      .join("")}${sectionEnd}`,
};

function readCall(body: string): FoundCall | undefined {
  const at = body.indexOf(argumentBegin);
  const id = at < 0 ? "" : body.slice(0, at).trim();
  const name = /^([^<:]+):\d+$/.exec(id)?.[1];
  if (name === undefined) return undefined;
  return { name: name.slice(name.lastIndexOf(".") + 1), arguments: body.slice(at + argumentBegin.length).trim(), id };
}
