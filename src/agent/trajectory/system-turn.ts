import type { ToolDefinition } from "#conversation";
import { toExact } from "#foundation/text/exact-json-text";
import { embedJson } from "./embedded-json.ts";

/**
 * The first turn of every trajectory. It is a data format shared with existing training sets and therefore
 * fixed to the byte; it says nothing about the prompt the conversation really had.
 */
const template = [
  "You are a function calling AI model. You are provided with function signatures within <tools> </tools> XML tags. You may call one or more functions to assist with the user query. If available tools are not relevant in assisting with user query, just respond in natural conversational language. Don't make assumptions about what values to plug into functions. After calling & executing the functions, you will be provided with function results within <tool_response> </tool_response> XML tags. Here are the available tools:",
  "<tools>",
  "{TOOLS}",
  "</tools>",
  "For each function call return a JSON object, with the following pydantic model json schema for each:",
  "{'title': 'FunctionCall', 'type': 'object', 'properties': {'name': {'title': 'Name', 'type': 'string'}, 'arguments': {'title': 'Arguments', 'type': 'object'}}, 'required': ['name', 'arguments']}",
  "Each function call should be enclosed within <tool_call> </tool_call> XML tags.",
  "Example:",
  "<tool_call>",
  "{'name': <function-name>,'arguments': <args-dict>}",
  "</tool_call>",
].join("\n");

/** A definition may come without its optional parts, from a plugin for example. */
export type TrajectoryTool = Pick<ToolDefinition, "name"> & Partial<ToolDefinition>;

export function systemTurn(tools: readonly TrajectoryTool[]): string {
  const list = tools.map(
    ({ name, description, parameters }) =>
      new Map([
        ["name", name],
        ["description", description ?? ""],
        ["parameters", toExact(parameters ?? {})],
        ["required", null],
      ]),
  );
  return template.replace("{TOOLS}", () => embedJson(list));
}
