import { decodeExact, type ExactJson } from "#foundation/text/exact-json";
import { exactJsonText } from "#foundation/text/exact-json-text";
import { finder } from "./finder.ts";
import { hexId } from "./ids.ts";
import { declaredType, readLiteral } from "./literals.ts";
import type { Format, FoundCall, ParseOptions } from "./parser.ts";

const open = "<tool_call>";
const functionOpen = "<function=";
const functionClose = "</function>";
const parameterOpen = "<parameter=";
const parameterClose = "</parameter>";

/** Qwen 3 Coder: `<function=name>` with one `<parameter=key>` per argument, values untyped. */
export const qwen3Coder: Format = {
  markers: [functionOpen],
  contentEnds: [open, functionOpen],
  newId: hexId(24),
  find(text, options) {
    const calls: FoundCall[] = [];
    const nextClose = finder(text, functionClose);
    let at = text.indexOf(functionOpen);
    const first = at;
    while (at >= 0) {
      const next = text.indexOf(functionOpen, at + 1);
      const closeAt = nextClose(at);
      const isClosed = closeAt >= 0 && (next < 0 || closeAt < next);
      const end = isClosed ? closeAt : next < 0 ? text.length : next;
      if (isClosed || next >= 0 || options.finishReason !== "length") {
        const call = readFunction(text.slice(at + functionOpen.length, end), options);
        if (call !== undefined) calls.push(call);
      }
      at = next;
    }
    const outer = text.indexOf(open);
    return { contentEnd: outer >= 0 && outer < first ? outer : first, calls };
  },
  render: (calls) => calls.map(renderCall).join("\n"),
};

function readFunction(body: string, options: ParseOptions): FoundCall | undefined {
  const nameEnd = body.indexOf(">");
  if (nameEnd < 0) return undefined;
  const name = body.slice(0, nameEnd).trim();
  // `<function=w` cut by another tag has no name of its own.
  if (name === "" || /[<\n]/.test(name)) return undefined;
  const args = new Map<string, ExactJson>();
  for (const part of body
    .slice(nameEnd + 1)
    .split(parameterOpen)
    .slice(1)) {
    const keyEnd = part.indexOf(">");
    if (keyEnd < 0) continue;
    const key = part.slice(0, keyEnd).trim();
    const closeAt = part.indexOf(parameterClose, keyEnd);
    const raw = part.slice(keyEnd + 1, closeAt < 0 ? part.length : closeAt);
    args.set(key, readParameter(withoutEdgeNewlines(raw), declaredType(options.tools, name, key)));
  }
  return { name, arguments: exactJsonText(args) };
}

function readParameter(raw: string, type: string | undefined): ExactJson {
  if (type !== "string" && raw.trim().toLowerCase() === "null") return null;
  const value = readLiteral(raw, type);
  // Text keeps its white space; only values that mean something else lose it.
  return typeof value === "string" && value === raw.trim() ? raw : value;
}

function withoutEdgeNewlines(raw: string): string {
  return raw.replace(/^\r?\n/, "").replace(/\r?\n$/, "");
}

function renderCall(call: FoundCall): string {
  const args = decodeExact(call.arguments)?.value;
  const members = args instanceof Map ? [...args] : [];
  const parameters = members.map(
    ([key, value]) =>
      `${parameterOpen}${key}>\n${typeof value === "string" ? value : exactJsonText(value)}\n${parameterClose}\n`,
  );
  return `${open}\n${functionOpen}${call.name}>\n${parameters.join("")}${functionClose}\n</tool_call>`;
}
