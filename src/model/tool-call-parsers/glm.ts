import { decodeExact, type ExactJson } from "#foundation/text/exact-json";
import { exactJsonText } from "#foundation/text/exact-json-text";
import { hexId } from "./ids.ts";
import { declaredType, readLiteral } from "./literals.ts";
import type { Format, FoundCall, ParseOptions } from "./parser.ts";

const open = "<tool_call>";
const close = "</tool_call>";
const keyOpen = "<arg_key>";
const keyClose = "</arg_key>";
const valueOpen = "<arg_value>";
const valueClose = "</arg_value>";

/** GLM 4.5 ends the name with a newline; GLM 4.7 ends it at the first key or at the closing tag. */
export const glm45 = glm((body) => {
  const newline = body.indexOf("\n");
  return newline < 0 ? undefined : newline;
}, "\n");
export const glm47 = glm((body) => {
  const key = body.indexOf(keyOpen);
  return key < 0 ? body.length : key;
}, "");

function glm(nameEnd: (body: string) => number | undefined, nameSeparator: string): Format {
  return {
    markers: [open],
    newId: hexId(8),
    find(text, options) {
      const contentEnd = text.indexOf(open);
      const calls: FoundCall[] = [];
      let at = contentEnd;
      while (at >= 0) {
        const closeAt = text.indexOf(close, at);
        if (closeAt < 0) break;
        const body = text.slice(at + open.length, closeAt);
        const end = nameEnd(body);
        const name = end === undefined ? "" : body.slice(0, end).trim();
        if (end !== undefined && name !== "" && !name.startsWith("{")) {
          calls.push({ name, arguments: exactJsonText(readArguments(body.slice(end), name, options)) });
        }
        at = text.indexOf(open, closeAt);
      }
      return { contentEnd, calls };
    },
    render: (calls) =>
      calls.map((call) => `${open}${call.name}${nameSeparator}${renderArguments(call.arguments)}${close}`).join("\n"),
  };
}

function readArguments(body: string, tool: string, options: ParseOptions): ExactJson {
  const args = new Map<string, ExactJson>();
  let at = body.indexOf(keyOpen);
  while (at >= 0) {
    const keyEnd = body.indexOf(keyClose, at);
    const valueAt = keyEnd < 0 ? -1 : body.indexOf(valueOpen, keyEnd);
    const valueEnd = valueAt < 0 ? -1 : body.indexOf(valueClose, valueAt);
    if (valueEnd < 0) break;
    const between = body.slice(keyEnd + keyClose.length, valueAt);
    if (/^(?:\s|\\n)*$/.test(between)) {
      const key = body.slice(at + keyOpen.length, keyEnd).trim();
      const raw = body.slice(valueAt + valueOpen.length, valueEnd).trim();
      args.set(key, readLiteral(raw, declaredType(options.tools, tool, key)));
      at = body.indexOf(keyOpen, valueEnd);
    } else at = body.indexOf(keyOpen, at + 1);
  }
  return args;
}

/** A string that would be read as something else is written as JSON. */
function renderArguments(args: string): string {
  const value = decodeExact(args)?.value;
  const members = value instanceof Map ? [...value] : [];
  return members
    .map(([key, member]) => {
      const isPlain =
        typeof member === "string" && member.trim() === member && readLiteral(member, undefined) === member;
      const written = isPlain ? (member as string) : exactJsonText(member);
      return `${keyOpen}${key}${keyClose}\n${valueOpen}${written}${valueClose}\n`;
    })
    .join("");
}
