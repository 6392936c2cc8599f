import { UserError } from "#foundation/errors";
import { deepseekV3, deepseekV31 } from "./deepseek.ts";
import { glm45, glm47 } from "./glm.ts";
import { kimiK2 } from "./kimi-k2.ts";
import { llama3Json } from "./llama.ts";
import { mistral } from "./mistral.ts";
import { type Format, makeParser, type ToolCallParser } from "./parser.ts";
import { qwen3Coder } from "./qwen3-coder.ts";
import { taggedJson } from "./tagged-json.ts";

const hermes = taggedJson("<tool_call>", "</tool_call>");

const formats: Readonly<Record<string, Format>> = {
  hermes,
  qwen: hermes,
  longcat: taggedJson("<longcat_tool_call>", "</longcat_tool_call>"),
  mistral,
  llama3_json: llama3Json,
  llama4_json: llama3Json,
  qwen3_coder: qwen3Coder,
  deepseek_v3: deepseekV3,
  deepseek_v3_1: deepseekV31,
  deepseek_v31: deepseekV31,
  kimi_k2: kimiK2,
  glm45,
  glm47,
};

/** Names of all parsers, sorted. */
export function listParsers(): readonly string[] {
  return Object.keys(formats).sort();
}

export function getParser(name: string): ToolCallParser {
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (format !== undefined) return makeParser(name, format);
  throw new UserError(`There is no tool-call parser "${name}".`, {
    code: "unknown_parser",
    hint: `Known: ${listParsers().join(", ")}`,
  });
}
