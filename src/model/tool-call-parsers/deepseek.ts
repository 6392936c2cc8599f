import { hexId } from "./ids.ts";
import type { Format, FoundCall } from "./parser.ts";

/** DeepSeek's special tokens are written with U+FF5C and U+2581, not with ASCII bars and underscores. */
const token = (words: string): string => `<｜${words.replaceAll(" ", "▁")}｜>`;
const outerBegin = token("tool calls begin");
const outerEnd = token("tool calls end");
const begin = token("tool call begin");
const end = token("tool call end");
const separator = token("tool sep");

/** V3: type, separator, name, a fenced block of JSON. */
export const deepseekV3 = deepseek(
  readV3,
  (call) => `function${separator}${call.name}\n\`\`\`json\n${call.arguments}\n\`\`\``,
);
/** V3.1: name, separator, JSON. */
export const deepseekV31 = deepseek(readV31, (call) => `${call.name}${separator}${call.arguments}`);

/** Only calls that are closed count; their arguments are taken as they are written. */
function deepseek(read: (body: string) => FoundCall | undefined, write: (call: FoundCall) => string): Format {
  return {
    markers: [outerBegin],
    newId: hexId(8),
    find(text) {
      const contentEnd = text.indexOf(outerBegin);
      const calls: FoundCall[] = [];
      let at = text.indexOf(begin, contentEnd);
      while (at >= 0) {
        const closeAt = text.indexOf(end, at);
        if (closeAt < 0) break;
        const call = read(text.slice(at + begin.length, closeAt));
        if (call !== undefined) calls.push(call);
        at = text.indexOf(begin, closeAt);
      }
      return { contentEnd, calls };
    },
    render: (calls) => `${outerBegin}${calls.map((call) => `${begin}${write(call)}${end}`).join("\n")}${outerEnd}`,
  };
}

function readV3(body: string): FoundCall | undefined {
  const at = body.indexOf(separator);
  if (at < 0) return undefined;
  const rest = body.slice(at + separator.length);
  const fence = rest.indexOf("```");
  const lastFence = rest.lastIndexOf("```");
  if (fence < 0 || lastFence === fence || rest.slice(lastFence + 3).trim() !== "") return undefined;
  const name = rest.slice(0, fence).trim();
  const args = rest.slice(fence + 3, lastFence).replace(/^json\b/, "");
  return name === "" ? undefined : { name, arguments: args.trim() };
}

function readV31(body: string): FoundCall | undefined {
  const at = body.indexOf(separator);
  const name = at < 0 ? "" : body.slice(0, at).trim();
  return name === "" ? undefined : { name, arguments: body.slice(at + separator.length).trim() };
}
