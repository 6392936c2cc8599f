import { describe, expect, test } from "vitest";
import { calls, reply, says, startModelServer, thinks } from "./index.ts";
import { ask, smallest } from "./testing/ask.ts";
import { checkRules, type RuleCase } from "./testing/rule-cases.ts";

const user = { role: "user", content: "hi" };
const call = (id: string, rest: object = {}) => ({
  id,
  type: "function",
  function: { name: "read", arguments: "{}" },
  ...rest,
});
const assistant = (...tool_calls: object[]) => ({ role: "assistant", content: null, tool_calls });
const result = (tool_call_id: string) => ({ role: "tool", tool_call_id, content: "done" });
const body = (messages: unknown, rest: object = {}) => ({ model: "m", messages, ...rest });
const tool = (name: string, parameters: unknown = { type: "object", properties: {} }) => ({
  type: "function",
  function: { name, description: "d", parameters },
});
const withTools = (...tools: object[]) => body([user], { tools });
const turn = (...answers: object[]) => body([user, assistant(call("a"), call("b")), ...answers]);
const fine = body([
  { role: "system", content: "S" },
  user,
  assistant(call("a")),
  result("a"),
  { role: "assistant", content: "ok", reasoning_content: "" },
  user,
]);

const cases: readonly RuleCase[] = [
  {
    rule: "chat/fields",
    accepted: { ...fine, temperature: 0, max_completion_tokens: 5, prompt_cache_key: "k", reasoning_effort: "low" },
    rejected: { ...fine, think: false },
    message: "Unrecognized request argument supplied: think",
  },
  {
    rule: "chat/messages",
    accepted: fine,
    rejected: body([]),
    message:
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    param: "messages",
    code: "empty_array",
  },
  {
    rule: "chat/role",
    accepted: body([{ role: "developer", content: "S" }, user]),
    rejected: body([user, { role: "bot", content: "x" }]),
    message:
      "Invalid value: 'bot'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
    param: "messages[1].role",
    code: "invalid_value",
  },
  {
    rule: "chat/first-role",
    accepted: fine,
    rejected: body([{ role: "system", content: "S" }, { role: "assistant", content: "x" }, user]),
    message: "The first message that is not a system message must have role 'user', but got 'assistant'.",
    param: "messages[1].role",
  },
  ...["uid", "finish_reason", "reasoning", "tool_name", "_scaffold", "codex_reasoning_items", "timestamp"].map(
    (field) => ({
      rule: "chat/message-fields",
      accepted: fine,
      rejected: body([user, { role: "assistant", content: "x", [field]: "v" }, user]),
      message: `Unknown parameter: 'messages[1].${field}'.`,
      param: `messages[1].${field}`,
      code: "unknown_parameter",
    }),
  ),
  {
    rule: "chat/content",
    accepted: body([user, { role: "assistant", content: "" }, user]),
    rejected: body([{ role: "user", content: null }]),
    message: "Invalid value for 'content': expected a string, got null.",
    param: "messages[0].content",
  },
  {
    rule: "chat/content",
    accepted: fine,
    rejected: body([{ role: "user", content: "" }]),
    message: "Invalid request: the message at messages[0] with role 'user' must not be empty",
    param: "messages[0].content",
  },
  {
    rule: "chat/content",
    accepted: fine,
    rejected: body([user, { role: "assistant", content: { text: "x" } }]),
    message:
      "Invalid type for 'messages[1].content': expected one of a string or array of objects, but got an object instead.",
    param: "messages[1].content",
    code: "invalid_type",
  },
  {
    rule: "chat/part-type",
    accepted: body([
      {
        role: "user",
        content: [
          { type: "text", text: "x" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AA" } },
        ],
      },
    ]),
    rejected: body([{ role: "user", content: [{ type: "input_text", text: "x" }] }]),
    message: "Invalid value: 'input_text'. Supported values are: 'text', 'image_url', 'input_audio', 'file'.",
    param: "messages[0].content[0].type",
    code: "invalid_value",
  },
  {
    rule: "chat/part-type",
    accepted: fine,
    rejected: body([
      user,
      assistant(call("a")),
      { ...result("a"), content: [{ type: "image_url", image_url: { url: "u" } }] },
    ]),
    message:
      "Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL.",
    param: "messages[2]",
    code: "invalid_value",
  },
  {
    rule: "chat/tool-calls-empty",
    accepted: fine,
    rejected: body([user, { role: "assistant", content: "x", tool_calls: [] }]),
    message:
      "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    param: "messages[1].tool_calls",
    code: "empty_array",
  },
  ...["call_id", "response_item_id", "index"].map((field) => ({
    rule: "chat/tool-call-fields",
    accepted: body([user, assistant(call("a", { extra_content: { x: 1 } })), result("a")]),
    rejected: body([user, assistant(call("a", { [field]: "v" })), result("a")]),
    message: `Unknown parameter: 'messages[1].tool_calls[0].${field}'.`,
    param: `messages[1].tool_calls[0].${field}`,
    code: "unknown_parameter",
  })),
  {
    rule: "chat/tool-call-id",
    accepted: body([user, assistant(call("x".repeat(40))), result("x".repeat(40))]),
    rejected: body([user, assistant(call("x".repeat(41))), result("x".repeat(41))]),
    message:
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.",
    param: "messages[1].tool_calls[0].id",
    code: "string_above_max_length",
  },
  {
    rule: "chat/tool-call-id",
    accepted: fine,
    rejected: body([user, assistant(call("")), result("")]),
    message: "Missing required parameter: 'messages[1].tool_calls[0].id'.",
    param: "messages[1].tool_calls[0].id",
    code: "missing_required_parameter",
  },
  {
    rule: "chat/tool-call-name",
    accepted: fine,
    rejected: body([user, assistant(call("a", { function: { name: "a b", arguments: "{}" } })), result("a")]),
    message:
      "Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    param: "messages[1].tool_calls[0].function.name",
    code: "invalid_value",
  },
  {
    rule: "chat/arguments-string",
    accepted: fine,
    rejected: body([user, assistant(call("a", { function: { name: "read", arguments: {} } })), result("a")]),
    message:
      "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an object instead.",
    param: "messages[1].tool_calls[0].function.arguments",
    code: "invalid_type",
  },
  {
    rule: "chat/arguments-json",
    accepted: fine,
    rejected: body([user, assistant(call("a", { function: { name: "read", arguments: "{" } })), result("a")]),
    message: "Invalid 'messages[1].tool_calls[0].function.arguments': the string is not valid JSON.",
    param: "messages[1].tool_calls[0].function.arguments",
    code: "invalid_value",
  },
  {
    rule: "chat/tool-orphan",
    accepted: turn(result("b"), result("a")),
    rejected: body([user, result("a")]),
    message:
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    param: "messages.[1].role",
  },
  {
    rule: "chat/tool-orphan",
    accepted: fine,
    rejected: body([user, assistant(call("a")), result("a"), { role: "assistant", content: "x" }, result("a")]),
    message:
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    param: "messages.[4].role",
  },
  {
    rule: "chat/tool-duplicate",
    accepted: turn(result("a"), result("b")),
    rejected: turn(result("a"), result("b"), result("a")),
    message: "Duplicate value for 'tool_call_id' of 'a' in message[4]",
    param: "messages.[4].tool_call_id",
  },
  {
    rule: "chat/tool-unanswered",
    accepted: turn(result("a"), result("b"), user),
    rejected: turn(result("a"), user),
    message:
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: b",
    param: "messages.[3].role",
  },
  {
    rule: "chat/tool-unanswered",
    accepted: fine,
    rejected: turn(),
    message:
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: a, b",
    param: "messages.[2].role",
  },
  {
    rule: "chat/tools-count",
    accepted: withTools(...Array.from({ length: 128 }, (_, index) => tool(`t${index}`))),
    rejected: withTools(...Array.from({ length: 129 }, (_, index) => tool(`t${index}`))),
    message:
      "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 129 instead.",
    param: "tools",
    code: "array_above_max_length",
  },
  {
    rule: "chat/tools-count",
    accepted: withTools(tool("a")),
    rejected: withTools(),
    message: "[] is too short - 'tools'",
    param: "tools",
  },
  {
    rule: "chat/tools-shape",
    accepted: withTools(tool("a")),
    rejected: withTools({ type: "function", name: "flat", parameters: { type: "object" } }),
    message: "Missing required parameter: 'tools[0].function.name'.",
    param: "tools[0].function.name",
    code: "missing_required_parameter",
  },
  {
    rule: "chat/tools-name",
    accepted: withTools(tool("x".repeat(64))),
    rejected: withTools(tool("x".repeat(65))),
    message:
      "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
    param: "tools[0].function.name",
    code: "string_above_max_length",
  },
  {
    rule: "chat/tools-name",
    accepted: withTools(tool("mcp__a-b")),
    rejected: withTools(tool("mcp.a")),
    message:
      "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    param: "tools[0].function.name",
    code: "invalid_value",
  },
  {
    rule: "chat/tools-unique",
    accepted: withTools(tool("a"), tool("b")),
    rejected: withTools(tool("a"), tool("a")),
    message: "Function names must be unique, but 'a' was found again.",
    param: "tools[1].function.name",
  },
  {
    rule: "chat/tools-schema",
    accepted: withTools(tool("a", { type: "object" })),
    rejected: withTools(tool("a", { type: "string" })),
    message:
      "Invalid schema for function 'a': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"string\"'.",
    param: "tools[0].function.parameters",
    code: "invalid_function_parameters",
  },
  {
    rule: "chat/tools-schema",
    accepted: withTools(tool("a", { type: "object", properties: { l: { type: "array", items: {} } } })),
    rejected: withTools(tool("a", { type: "object", properties: { l: { type: "array", items: { type: "array" } } } })),
    message: "Invalid schema for function 'a': In context=('properties', 'l', 'items'), array schema missing items.",
    param: "tools[0].function.parameters",
    code: "invalid_function_parameters",
  },
  {
    rule: "chat/needs-tools",
    accepted: { ...withTools(tool("a")), tool_choice: "auto", parallel_tool_calls: true },
    rejected: { ...fine, tool_choice: "auto" },
    message: "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
    param: "tool_choice",
  },
  {
    rule: "chat/stream-options",
    accepted: { ...fine, stream: true, stream_options: { include_usage: true } },
    rejected: { ...fine, stream_options: { include_usage: true } },
    message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    param: "stream_options",
  },
  {
    rule: "chat/extra-content",
    prepare: async (server) => {
      server.script(calls("read", {}, { id: "g", extraContent: { google: { thought_signature: "S" } } }));
      await ask(server, "chat", { body: smallest.chat });
    },
    accepted: body([
      user,
      assistant(call("g", { extra_content: { google: { thought_signature: "S" } } })),
      result("g"),
    ]),
    rejected: body([user, assistant(call("g")), result("g")]),
    message:
      "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `read`.",
    param: "messages[1].tool_calls[0]",
  },
  {
    rule: "chat/reasoning-details",
    prepare: async (server) => {
      server.script(reply([thinks("t", { field: "reasoning_details", signature: "good" }), says("x")]));
      await ask(server, "chat", { body: smallest.chat });
    },
    accepted: body([
      user,
      {
        role: "assistant",
        content: "x",
        reasoning_details: [{ type: "reasoning.text", text: "t", signature: "good" }],
      },
    ]),
    rejected: body([
      user,
      { role: "assistant", content: "x", reasoning_details: [{ type: "reasoning.text", text: "t", signature: "bad" }] },
    ]),
    message: "messages[1].reasoning_details[0]: Invalid `signature` in `thinking` block",
  },
  {
    rule: "chat/alternation",
    strict: { also: ["chat/alternation"] },
    accepted: fine,
    rejected: body([user, user]),
    message: "Conversation roles must alternate user/assistant/user/assistant/...",
    param: "messages[1].role",
  },
  {
    rule: "chat/reasoning-content",
    strict: { also: ["chat/reasoning-content"] },
    accepted: body([user, { ...assistant(call("a")), reasoning_content: "" }, result("a")]),
    rejected: body([user, assistant(call("a")), result("a")]),
    message: "The reasoning_content in the thinking mode must be passed back to the API.",
    param: "messages[1]",
  },
  {
    rule: "all/model",
    accepted: fine,
    rejected: { messages: [user] },
    message: "you must provide a model parameter",
  },
  {
    rule: "all/surrogates",
    accepted: body([{ role: "user", content: "👋" }]),
    rejected: `{"model":"m","messages":[{"role":"user","content":"\\ud83d!"}]}`,
    message:
      "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
  },
  {
    rule: "all/utf8",
    accepted: body([{ role: "user", content: "é" }]),
    rejected: Buffer.from(JSON.stringify(body([{ role: "user", content: "\u00e9" }])), "latin1"),
    message:
      "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
  },
];

describe("a strict chat server", () => {
  checkRules({ wire: "chat", cases });

  test("every chat rule has a case", async () => {
    const { allRules } = await import("./index.ts");
    const gates = ["all/key", "all/body-size", "all/json", "all/context-window"];
    const wanted = allRules.map(({ id }) => id).filter((id) => /^(chat|all)\//.test(id) && !gates.includes(id));
    expect([...new Set(cases.map(({ rule }) => rule))].sort()).toEqual(wanted.sort());
  });

  test("a server that is not strict takes anything", async () => {
    await using server = await startModelServer();
    server.otherwise(says("x"));
    expect((await ask(server, "chat", { body: { messages: "?" } })).status).toBe(200);
  });

  test("rules can be left out, and fields let through", async () => {
    await using server = await startModelServer({
      strict: { except: ["chat/first-role"], extraFields: ["think"], extraMessageFields: ["uid"] },
    });
    server.script(says("x"));
    const odd = { model: "m", think: false, messages: [{ role: "assistant", content: "x", uid: "1" }] };
    expect((await ask(server, "chat", { body: odd })).status).toBe(200);
    server.assertClean();
  });

  test("OpenRouter takes its own fields", async () => {
    await using server = await startModelServer({ strict: true, chatDialect: "openrouter" });
    server.script(says("x"));
    const routed = { ...smallest.chat, provider: { order: ["a"] }, reasoning: { enabled: false } };
    expect((await ask(server, "chat", { body: routed })).status).toBe(200);
    const refused = await ask(server, "chat", { body: { ...smallest.chat, nonsense: 1 } });
    expect([refused.status, refused.json()]).toEqual([
      400,
      { error: { message: "Unrecognized request argument supplied: nonsense", code: null }, user_id: "user_fake" },
    ]);
  });
});
