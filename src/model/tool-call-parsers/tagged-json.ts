import { decodeExact, decodeExactAt } from "#foundation/text/exact-json";
import { exactJsonText } from "#foundation/text/exact-json-text";
import { argumentsText, nameOf } from "./call-object.ts";
import { finder } from "./finder.ts";
import { hexId } from "./ids.ts";
import type { Format, Found, FoundCall, ParseOptions } from "./parser.ts";

/** A JSON object between two tags: Hermes, Qwen 2.5 and LongCat differ only in the tags. */
export function taggedJson(open: string, close: string): Format {
  return {
    markers: [open],
    newId: hexId(8),
    find: (text, options) => findTagged(text, { open, close }, options),
    render: (calls) =>
      calls
        .map(
          (call) => `${open}\n{"name": ${JSON.stringify(call.name)}, "arguments": ${asJson(call.arguments)}}\n${close}`,
        )
        .join("\n"),
  };
}

function asJson(args: string): string {
  const decoded = decodeExact(args);
  return decoded === undefined ? JSON.stringify(args) : exactJsonText(decoded.value);
}

interface Tags {
  readonly open: string;
  readonly close: string;
}

function findTagged(text: string, tags: Tags, options: ParseOptions): Found | undefined {
  const contentEnd = text.indexOf(tags.open);
  const calls: FoundCall[] = [];
  const nextClose = finder(text, tags.close);
  let at = contentEnd;
  while (at >= 0) {
    const block = readBlock(text, at + tags.open.length, nextClose);
    // One that cannot be read makes the others doubtful, too.
    if (block.kind === "malformed") return undefined;
    if (block.call !== undefined && (block.isClosed || options.finishReason !== "length")) calls.push(block.call);
    at = text.indexOf(tags.open, block.end);
  }
  return { contentEnd, calls };
}

type Block =
  | { readonly kind: "block"; readonly call: FoundCall | undefined; readonly isClosed: boolean; readonly end: number }
  | { readonly kind: "malformed"; readonly end: number };

/** The JSON value is read first and the closing tag looked for behind it: the tag may occur in a string. */
function readBlock(text: string, start: number, nextClose: (from: number) => number): Block {
  const tagAt = nextClose(start);
  const bodyEnd = tagAt < 0 ? text.length : tagAt;
  if (/\S/.exec(text.slice(start, bodyEnd)) === null) {
    return { kind: "block", call: undefined, isClosed: tagAt >= 0, end: bodyEnd };
  }
  const decoded = decodeExactAt(text, start);
  if (decoded === undefined) return { kind: "malformed", end: bodyEnd };
  const closeAt = nextClose(decoded.end);
  const end = closeAt < 0 ? text.length : closeAt;
  if (text.slice(decoded.end, end).trim() !== "") return { kind: "malformed", end };
  const name = nameOf(decoded.value);
  const args = decoded.value instanceof Map ? decoded.value.get("arguments") : undefined;
  const call = name === undefined ? undefined : { name, arguments: argumentsText(args) };
  return { kind: "block", call, isClosed: closeAt >= 0, end };
}
