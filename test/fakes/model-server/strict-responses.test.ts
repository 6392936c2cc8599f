import { describe, expect, test } from "vitest";
import { allRules, calls, type ModelServer, reply, says, startModelServer, thinks } from "./index.ts";
import { ask, smallest } from "./testing/ask.ts";
import { checkRules, type RuleCase } from "./testing/rule-cases.ts";

const user = { role: "user", content: [{ type: "input_text", text: "hi" }] };
const call = (call_id: string, rest: object = {}) => ({
  type: "function_call",
  call_id,
  name: "read",
  arguments: "{}",
  ...rest,
});
const output = (call_id: string, rest: object = {}) => ({
  type: "function_call_output",
  call_id,
  output: "ok",
  ...rest,
});
const assistant = (rest: object = {}) => ({
  role: "assistant",
  content: [{ type: "output_text", text: "x" }],
  ...rest,
});
const reasoning = (rest: object = {}) => ({ type: "reasoning", summary: [], ...rest });
const body = (input: unknown, rest: object = {}) => ({ model: "m", input, store: false, ...rest });
const include = { include: ["reasoning.encrypted_content"] };
const tool = (name: string, rest: object = {}) => ({
  type: "function",
  name,
  parameters: { type: "object" },
  strict: false,
  ...rest,
});
const fine = body([user, assistant(), user, call("a", { id: "fc_a" }), output("a"), assistant()]);

/** The server sends reasoning `rs_..1` (BLOB) followed by the call `a` as item `fc_..1`. */
async function reasons(server: ModelServer): Promise<void> {
  server.script(reply([thinks("t", { encrypted: "BLOB" }), calls("read", {}, { id: "a" })]));
  await ask(server, "responses", { body: { ...smallest.responses, ...include } });
}
const reasoned = reasoning({ encrypted_content: "BLOB" });
const rs = "rs_000000000000000000000001";
const fc = "fc_000000000000000000000001";

const cases: readonly RuleCase[] = [
  {
    rule: "responses/fields",
    accepted: { ...fine, instructions: "I", prompt_cache_key: "k", service_tier: "auto", reasoning: { effort: "low" } },
    rejected: { ...fine, messages: [] },
    message: "Unknown parameter: 'messages'.",
    param: "messages",
    code: "unknown_parameter",
  },
  {
    rule: "responses/input",
    accepted: body("just text"),
    rejected: body([]),
    message: "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided.",
    param: "input",
    code: "missing_required_parameter",
  },
  {
    rule: "responses/item-type",
    accepted: fine,
    rejected: body([user, { type: "tool_use", id: "x" }]),
    message:
      "Invalid value: 'tool_use'. Supported values are: 'message', 'function_call', 'function_call_output', 'reasoning', 'item_reference'.",
    param: "input[1].type",
    code: "invalid_value",
  },
  {
    rule: "responses/item-fields",
    accepted: body([
      { ...user, type: "message" },
      assistant({ id: "msg_1", status: "completed", phase: "commentary" }),
    ]),
    rejected: body([{ ...user, uid: "1" }]),
    message: "Unknown parameter: 'input[0].uid'.",
    param: "input[0].uid",
    code: "unknown_parameter",
  },
  {
    rule: "responses/role",
    accepted: body([{ role: "developer", content: "S" }, user]),
    rejected: body([{ role: "tool", content: "x" }]),
    message: "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
    param: "input[0].role",
    code: "invalid_value",
  },
  {
    rule: "responses/content-type",
    accepted: body([{ role: "user", content: [{ type: "input_image", image_url: "data:image/png;base64,AA" }] }]),
    rejected: body([{ role: "user", content: [{ type: "text", text: "x" }] }]),
    message: "Invalid value: 'text'. Supported values are: 'input_text', 'input_image', 'input_file'.",
    param: "input[0].content[0].type",
    code: "invalid_value",
  },
  {
    rule: "responses/content-type",
    accepted: fine,
    rejected: body([user, { role: "assistant", content: [{ type: "input_text", text: "x" }] }]),
    message: "Invalid value: 'input_text'. Supported values are: 'output_text', 'refusal'.",
    param: "input[1].content[0].type",
    code: "invalid_value",
  },
  {
    rule: "responses/item-id",
    accepted: fine,
    rejected: body([user, call("a", { id: "call_a" }), output("a")]),
    message: "Invalid 'input[1].id': 'call_a'. Expected an ID that begins with 'fc'.",
    param: "input[1].id",
    code: "invalid_value",
  },
  {
    rule: "responses/item-duplicate",
    accepted: fine,
    rejected: body([user, assistant({ id: "msg_1" }), user, assistant({ id: "msg_1" })]),
    message: "Duplicate item found with id msg_1. Remove duplicate items from your input and try again.",
    param: "input",
  },
  {
    rule: "responses/item-duplicate",
    accepted: fine,
    rejected: body([user, call("a"), output("a"), call("a"), output("a")]),
    message: "Duplicate item found with id a. Remove duplicate items from your input and try again.",
    param: "input",
  },
  {
    rule: "responses/call",
    accepted: fine,
    rejected: body([user, call("a", { arguments: {} }), output("a")]),
    message: "Invalid type for 'input[1].arguments': expected a string, but got an object instead.",
    param: "input[1].arguments",
    code: "invalid_type",
  },
  {
    rule: "responses/output",
    accepted: body([user, call("a"), output("a", { output: [{ type: "input_text", text: "x" }] })]),
    rejected: body([user, call("a"), output("a", { output: [{ type: "text", text: "x" }] })]),
    message: "Invalid value: 'text'. Supported values are: 'input_text', 'input_image', 'input_file'.",
    param: "input[2].output",
    code: "invalid_value",
  },
  {
    rule: "responses/output-orphan",
    accepted: fine,
    rejected: body([user, output("a"), call("a")]),
    message: "No tool call found for function call output with call_id a.",
    param: "input",
  },
  {
    rule: "responses/output-orphan",
    accepted: fine,
    rejected: body([user, call("a"), output("a"), output("a")]),
    message: "Duplicate function call output found for call_id a.",
    param: "input",
  },
  {
    rule: "responses/call-unanswered",
    accepted: fine,
    rejected: body([user, call("a"), call("b"), output("a")]),
    message: "No tool output found for function call b.",
    param: "input",
  },
  {
    rule: "responses/reasoning-summary",
    prepare: reasons,
    accepted: body([user, reasoned, call("a"), output("a")], include),
    rejected: body([user, { type: "reasoning", encrypted_content: "BLOB" }, call("a"), output("a")], include),
    message: "Missing required parameter: 'input[1].summary'.",
    param: "input[1].summary",
    code: "missing_required_parameter",
  },
  {
    rule: "responses/reasoning-stored",
    prepare: reasons,
    accepted: body([user, { ...reasoned, id: rs }, call("a"), output("a")], include),
    rejected: body([user, reasoning({ id: rs }), call("a"), output("a")], include),
    message: `Item with id '${rs}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    param: "input",
  },
  {
    rule: "responses/reasoning-stored",
    prepare: reasons,
    accepted: body([user, reasoned, call("a"), output("a")]),
    rejected: body([user, { ...reasoned, id: rs }, call("a"), output("a")]),
    message: `Item with id '${rs}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    param: "input",
  },
  {
    rule: "responses/reasoning-encrypted",
    prepare: reasons,
    accepted: body([user, reasoned, call("a"), output("a")], include),
    rejected: body([user, reasoning({ encrypted_content: "gAAAAforged" }), call("a"), output("a")], include),
    message:
      "The encrypted content gAAA...rged could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
    code: "invalid_encrypted_content",
  },
  {
    rule: "responses/reasoning-followed",
    prepare: reasons,
    accepted: body([user, reasoned, assistant()], include),
    rejected: body([user, reasoned, user], include),
    message: "Item '' of type 'reasoning' was provided without its required following item.",
    param: "input",
  },
  {
    rule: "responses/reasoning-required",
    prepare: reasons,
    accepted: body([user, reasoned, call("a", { id: fc }), output("a")], include),
    rejected: body([user, call("a", { id: fc }), output("a")], include),
    message: `Item '${fc}' of type 'function_call' was provided without its required 'reasoning' item: '${rs}'.`,
    param: "input",
  },
  {
    rule: "responses/tools-count",
    accepted: { ...fine, tools: [], tool_choice: "auto", parallel_tool_calls: true },
    rejected: { ...fine, tools: Array.from({ length: 129 }, (_, index) => tool(`t${index}`)) },
    message:
      "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 129 instead.",
    param: "tools",
    code: "array_above_max_length",
  },
  {
    rule: "responses/tools-shape",
    accepted: { ...fine, tools: [tool("a"), { type: "web_search" }] },
    rejected: { ...fine, tools: [{ type: "function", function: { name: "a", parameters: { type: "object" } } }] },
    message: "Missing required parameter: 'tools[0].name'.",
    param: "tools[0].name",
    code: "missing_required_parameter",
  },
  {
    rule: "responses/tools-name",
    accepted: { ...fine, tools: [tool("a_b-C1")] },
    rejected: { ...fine, tools: [tool("a b")] },
    message:
      "Invalid 'tools[0].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    param: "tools[0].name",
    code: "invalid_value",
  },
  {
    rule: "responses/tools-unique",
    accepted: { ...fine, tools: [tool("a"), tool("b")] },
    rejected: { ...fine, tools: [tool("a"), tool("a")] },
    message: "Function names must be unique, but 'a' was found again.",
    param: "tools[1].name",
  },
  {
    rule: "responses/tools-schema",
    accepted: { ...fine, tools: [tool("a")] },
    rejected: { ...fine, tools: [tool("a", { parameters: {} })] },
    message:
      "Invalid schema for function 'a': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'.",
    param: "tools[0].parameters",
    code: "invalid_function_parameters",
  },
  {
    rule: "responses/max-output-tokens",
    accepted: { ...fine, max_output_tokens: 16 },
    rejected: { ...fine, max_output_tokens: 15 },
    message: "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 15 instead.",
    param: "max_output_tokens",
    code: "integer_below_min_value",
  },
  {
    rule: "responses/previous-response",
    accepted: fine,
    rejected: { ...fine, previous_response_id: "resp_x" },
    message: "Previous response with id 'resp_x' not found.",
    param: "previous_response_id",
    code: "previous_response_not_found",
  },
  {
    rule: "responses/codex-backend",
    strict: { also: ["responses/codex-backend"] },
    accepted: { ...fine, instructions: "I", stream: true },
    rejected: { ...fine, instructions: "I", stream: true, store: true },
    message: "Store must be set to false",
  },
];

describe("a strict Responses server", () => {
  checkRules({ wire: "responses", cases });

  test("every Responses rule has a case", () => {
    const wanted = allRules.map(({ id }) => id).filter((id) => id.startsWith("responses/"));
    expect([...new Set(cases.map(({ rule }) => rule))].sort()).toEqual(wanted.sort());
  });

  test("a whole turn comes back as it was sent", async () => {
    await using server = await startModelServer({ strict: true });
    server.script(reply([thinks("t"), says("Looking"), calls("read", {})]), says("done"));
    const first = (await ask(server, "responses", { body: body([user], include) })).json() as {
      output: { call_id?: string }[];
    };
    const answers = first.output.flatMap(({ call_id }) => (call_id === undefined ? [] : [output(call_id)]));
    const replayed = first.output.map((item) => ({ ...item }));
    await ask(server, "responses", { body: body([user, ...replayed, ...answers], include) });
    server.assertClean();
  });
});
