import type { ToolDefinition } from "#conversation";

/** A call found in plain text. `arguments` is always text, in the form the format asks for. */
interface ParsedCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface ParseOptions {
  /** Used to read untyped parameter values by their declared type. */
  readonly tools?: readonly ToolDefinition[];
  /** `length`: a last call that is not closed was cut and is never returned. */
  readonly finishReason?: string;
}

export interface ParseResult {
  readonly content: string | null;
  readonly tool_calls: readonly ParsedCall[] | null;
}

/** What a format finds; ids are given afterwards, unless the text itself names them. */
export interface FoundCall {
  readonly name: string;
  readonly arguments: string;
  readonly id?: string;
}

export interface Found {
  /** Index where the visible text ends. */
  readonly contentEnd: number;
  readonly calls: readonly FoundCall[];
}

/** How one family of models writes its calls. */
export interface Format {
  /** Any of these in the text means there may be calls. */
  readonly markers: readonly string[];
  /** On a stream, visible text ends at the first of these; the markers themselves unless named. */
  readonly contentEnds?: readonly string[];
  readonly newId: (call: FoundCall, index: number) => string;
  /** Undefined when the text holds no call after all. */
  find(text: string, options: ParseOptions): Found | undefined;
  /** The same calls as this family writes them. */
  render(calls: readonly FoundCall[]): string;
}

export interface ToolCallParser {
  readonly name: string;
  readonly markers: readonly string[];
  readonly contentEnds: readonly string[];
  /** Never throws: a text that cannot be understood is content. */
  parse(text: string, options?: ParseOptions): ParseResult;
  render(calls: readonly FoundCall[]): string;
}

export function makeParser(name: string, format: Format): ToolCallParser {
  return {
    name,
    markers: format.markers,
    contentEnds: format.contentEnds ?? format.markers,
    render: (calls) => format.render(calls),
    parse(text, options = {}) {
      const untouched: ParseResult = { content: text, tool_calls: null };
      if (!format.markers.some((marker) => text.includes(marker))) return untouched;
      const found = format.find(text, options);
      if (found === undefined || found.calls.length === 0) return untouched;
      const content = text.slice(0, found.contentEnd).trim();
      return { content: content === "" ? null : content, tool_calls: withIds(found.calls, format) };
    },
  };
}

function withIds(calls: readonly FoundCall[], format: Format): readonly ParsedCall[] {
  const used = new Set<string>();
  return calls.map((call, index) => {
    let id = call.id ?? format.newId(call, index);
    for (let salt = calls.length; used.has(id) && call.id === undefined; salt += 1)
      id = format.newId(call, index + salt);
    used.add(id);
    return { id, type: "function", function: { name: call.name, arguments: call.arguments } };
  });
}
