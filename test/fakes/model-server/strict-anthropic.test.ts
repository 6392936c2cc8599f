import { describe, expect, test } from "vitest";
import { allRules, calls, type ModelServer, reply, says, startModelServer, thinks } from "./index.ts";
import { ask, smallest } from "./testing/ask.ts";
import { checkRules, type RuleCase } from "./testing/rule-cases.ts";

const user = { role: "user", content: "hi" };
const text = (value: string, rest: object = {}) => ({ type: "text", text: value, ...rest });
const use = (id: string, rest: object = {}) => ({ type: "tool_use", id, name: "read", input: {}, ...rest });
const result = (id: string, rest: object = {}) => ({ type: "tool_result", tool_use_id: id, content: "ok", ...rest });
const assistant = (...content: object[]) => ({ role: "assistant", content });
const asks = (...content: object[]) => ({ role: "user", content });
const body = (messages: unknown, rest: object = {}) => ({ model: "m", max_tokens: 4096, messages, ...rest });
const tool = (name: string, rest: object = {}) => ({
  name,
  description: "d",
  input_schema: { type: "object" },
  ...rest,
});
const mark = { cache_control: { type: "ephemeral" } };
const hourMark = { cache_control: { type: "ephemeral", ttl: "1h" } };
const enabled = { thinking: { type: "enabled", budget_tokens: 1024 } };
const fine = body([user, assistant(text("x"), use("a")), asks(result("a"), text("and?"))]);
const thinking = (signature: string, value = "t") => ({ type: "thinking", thinking: value, signature });

/** The server sends a signed thought and a call named `a`. */
async function signs(server: ModelServer): Promise<void> {
  server.script(
    reply([thinks("t", { signature: "good" }), calls("read", {}, { id: "a" })]),
    calls("read", {}, { id: "bare" }),
  );
  await ask(server, "anthropic", { body: smallest.anthropic });
  await ask(server, "anthropic", { body: smallest.anthropic });
}

const cases: readonly RuleCase[] = [
  {
    rule: "anthropic/fields",
    accepted: { ...fine, system: "S", stop_sequences: ["x"], output_config: { effort: "high" } },
    rejected: { ...fine, max_completion_tokens: 1 },
    message: "max_completion_tokens: Extra inputs are not permitted",
  },
  {
    rule: "anthropic/max-tokens",
    accepted: fine,
    rejected: { model: "m", messages: [user] },
    message: "max_tokens: Field required",
  },
  {
    rule: "anthropic/max-tokens",
    accepted: fine,
    rejected: { ...fine, max_tokens: 0 },
    message: "max_tokens: must be greater than or equal to 1",
  },
  {
    rule: "anthropic/messages",
    accepted: fine,
    rejected: body([]),
    message: "messages: at least one message is required",
  },
  {
    rule: "anthropic/role",
    accepted: fine,
    rejected: body([{ role: "system", content: "S" }, user]),
    message:
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
  },
  {
    rule: "anthropic/role",
    accepted: fine,
    rejected: body([user, { role: "tool", content: "x" }]),
    message: "messages.1.role: Input should be 'user' or 'assistant'",
  },
  {
    rule: "anthropic/first-role",
    accepted: fine,
    rejected: body([assistant(text("x")), user]),
    message: 'messages: first message must use the "user" role',
  },
  {
    rule: "anthropic/alternation",
    accepted: fine,
    rejected: body([user, user]),
    message: 'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
  },
  {
    rule: "anthropic/message-fields",
    accepted: fine,
    rejected: body([{ ...user, uid: "1" }]),
    message: "messages.0.uid: Extra inputs are not permitted",
  },
  {
    rule: "anthropic/content",
    accepted: body([user, { role: "assistant", content: [] }]),
    rejected: body([asks(), assistant(text("x"))]),
    message: "messages.0: all messages must have non-empty content except for the optional final assistant message",
  },
  {
    rule: "anthropic/content",
    accepted: fine,
    rejected: body([{ role: "user", content: null }]),
    message: "messages.0.content: Input should be a valid list",
  },
  {
    rule: "anthropic/block-type",
    accepted: fine,
    rejected: body([asks({ type: "image_url", image_url: { url: "u" } })]),
    message:
      "messages.0.content.0: Input tag 'image_url' found using 'type' does not match any of the expected tags: 'text', 'image', 'document', 'tool_use', 'tool_result', 'thinking', 'redacted_thinking'",
  },
  {
    rule: "anthropic/block-fields",
    accepted: fine,
    rejected: body([asks(text("x", { id: "1" }))]),
    message: "messages.0.content.0.text.id: Extra inputs are not permitted",
  },
  {
    rule: "anthropic/block-role",
    accepted: fine,
    rejected: body([asks(use("a")), assistant(text("x"))]),
    message: "messages.0.content.0: `tool_use` blocks can only be in `assistant` messages",
  },
  {
    rule: "anthropic/block-role",
    accepted: fine,
    rejected: body([user, assistant(result("a"))]),
    message: "messages.1.content.0: `tool_result` blocks can only be in `user` messages",
  },
  {
    rule: "anthropic/image",
    accepted: body([asks({ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } })]),
    rejected: body([asks({ type: "image", source: { type: "base64", media_type: "image/svg+xml", data: "AAAA" } })]),
    message:
      "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
  },
  {
    rule: "anthropic/image",
    accepted: body([asks({ type: "image", source: { type: "url", url: "https://x.test/a.png" } })]),
    rejected: body([
      asks({ type: "image", source: { type: "base64", media_type: "image/png", data: "data:image/png" } }),
    ]),
    message: "messages.0.content.0.image.source.base64.data: Invalid base64 data",
  },
  {
    rule: "anthropic/text-empty",
    accepted: fine,
    rejected: body([asks(text("x"), text(""))]),
    message: "messages: text content blocks must be non-empty",
  },
  {
    rule: "anthropic/text-blank",
    accepted: body([asks(text(" x"))]),
    rejected: body([asks(text(" \n"))]),
    message: "messages: text content blocks must contain non-whitespace text",
  },
  {
    rule: "anthropic/trailing-whitespace",
    accepted: body([user, assistant(text("x ")), user]),
    rejected: body([user, assistant(text("x "))]),
    message: "messages: final assistant content cannot end with trailing whitespace",
  },
  {
    rule: "anthropic/system",
    accepted: { ...fine, system: [text("S", mark)] },
    rejected: { ...fine, system: [text("")] },
    message: "system: text content blocks must be non-empty",
  },
  {
    rule: "anthropic/system",
    accepted: { ...fine, system: "" },
    rejected: { ...fine, system: { text: "S" } },
    message: "system: Input should be a valid list",
  },
  {
    rule: "anthropic/tool-id",
    accepted: fine,
    rejected: body([user, assistant(use("a|b")), asks(result("a|b"))]),
    message: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  },
  {
    rule: "anthropic/tool-input",
    accepted: fine,
    rejected: body([user, assistant(use("a", { input: "{}" })), asks(result("a"))]),
    message: "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
  },
  {
    rule: "anthropic/tool-use-unique",
    accepted: body([user, assistant(use("a"), use("b")), asks(result("b"), result("a"))]),
    rejected: body([user, assistant(use("a")), asks(result("a")), assistant(use("a")), asks(result("a"))]),
    message: "messages.3.content.0: `tool_use` ids must be unique",
  },
  {
    rule: "anthropic/tool-orphan",
    accepted: fine,
    rejected: body([asks(result("a"))]),
    message:
      "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
  },
  {
    rule: "anthropic/tool-duplicate",
    accepted: fine,
    rejected: body([user, assistant(use("a")), asks(result("a"), result("a"))]),
    message: "messages.2: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a",
  },
  {
    rule: "anthropic/tool-unanswered",
    accepted: fine,
    rejected: body([user, assistant(use("a"), use("b")), asks(result("a"))]),
    message:
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
  },
  {
    rule: "anthropic/tool-unanswered",
    accepted: fine,
    rejected: body([user, assistant(use("a")), asks(text("first"), result("a"))]),
    message:
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
  },
  {
    rule: "anthropic/tools",
    accepted: { ...fine, tools: [tool("a", mark), { type: "web_search_20250305", name: "web_search" }] },
    rejected: { ...fine, tools: [tool("a.b")] },
    message: "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  },
  {
    rule: "anthropic/tools",
    accepted: { ...fine, tools: [tool("a")] },
    rejected: { ...fine, tools: [{ type: "custom", name: "a", parameters: {} }] },
    message: "tools.0.custom.input_schema: Field required",
  },
  {
    rule: "anthropic/tools",
    accepted: { ...fine, tools: [tool("a")] },
    rejected: { ...fine, tools: [tool("a", { input_schema: { type: "array" } })] },
    message: "tools.0.custom.input_schema.type: Input should be 'object'",
  },
  {
    rule: "anthropic/tools",
    accepted: { ...fine, tools: [tool("a")] },
    rejected: { ...fine, tools: [tool("a", { input_schema: { type: "object", anyOf: [] } })] },
    message: "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
  },
  {
    rule: "anthropic/tools-unique",
    accepted: { ...fine, tools: [tool("a"), tool("b")] },
    rejected: { ...fine, tools: [tool("a"), tool("a")] },
    message: "tools: Tool names must be unique.",
  },
  {
    rule: "anthropic/thinking-budget",
    accepted: body([user], enabled),
    rejected: body([user], { thinking: { type: "enabled", budget_tokens: 1023 } }),
    message: "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
  },
  {
    rule: "anthropic/thinking-budget",
    accepted: body([user], { thinking: { type: "adaptive" } }),
    rejected: body([user], { max_tokens: 1024, ...enabled }),
    message:
      "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size",
  },
  {
    rule: "anthropic/thinking-sampling",
    accepted: body([user], { ...enabled, temperature: 1 }),
    rejected: body([user], { ...enabled, temperature: 0.5 }),
    message: "`temperature` may only be set to 1 when thinking is enabled.",
  },
  {
    rule: "anthropic/thinking-sampling",
    accepted: body([user], { ...enabled, top_p: 0.95 }),
    rejected: body([user], { ...enabled, top_k: 5 }),
    message: "`top_k` must be unset when thinking is enabled.",
  },
  {
    rule: "anthropic/thinking-tool-choice",
    accepted: body([user], { ...enabled, tools: [tool("a")], tool_choice: { type: "auto" } }),
    rejected: body([user], { ...enabled, tools: [tool("a")], tool_choice: { type: "any" } }),
    message: "Thinking may not be enabled when tool_choice forces tool use.",
  },
  {
    rule: "anthropic/thinking-signature",
    prepare: signs,
    accepted: body([user, assistant(thinking("good"), use("a")), asks(result("a"))]),
    rejected: body([user, assistant(thinking("forged"), use("a")), asks(result("a"))]),
    message: "messages.1.content.0: Invalid `signature` in `thinking` block",
  },
  {
    rule: "anthropic/thinking-signature",
    prepare: signs,
    accepted: body([user, assistant(thinking("good"), use("a")), asks(result("a"))]),
    rejected: body([user, assistant({ type: "thinking", thinking: "t" }, use("a")), asks(result("a"))]),
    message: "messages.1.content.0.thinking.signature: Field required",
  },
  {
    rule: "anthropic/thinking-signature",
    prepare: signs,
    accepted: body([user, assistant(thinking("good"), use("a")), asks(result("a"))]),
    rejected: body([user, assistant(thinking("good", "altered"), use("a")), asks(result("a"))]),
    message:
      "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
  },
  {
    rule: "anthropic/thinking-signature",
    accepted: fine,
    rejected: body([user, assistant({ type: "redacted_thinking", data: "made up" })]),
    message: "messages.1.content.0: Invalid `data` in `redacted_thinking` block",
  },
  {
    rule: "anthropic/thinking-first",
    prepare: signs,
    // The server itself sent `bare` without thinking, so none can come back with it.
    accepted: body([user, assistant(use("bare")), asks(result("bare"))], enabled),
    rejected: body([user, assistant(use("a")), asks(result("a"))], enabled),
    message:
      "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`.",
  },
  {
    rule: "anthropic/sampling-removed",
    accepted: { ...fine, model: "claude-opus-4-6", temperature: 0 },
    rejected: { ...fine, model: "claude-opus-4-7", temperature: 0 },
    message: "`temperature` is deprecated for this model.",
  },
  {
    rule: "anthropic/cache-marks-count",
    accepted: body([asks(text("a", mark), text("b", mark), text("c", mark))], { system: [text("S", mark)] }),
    rejected: body([asks(text("a", mark), text("b", mark), text("c", mark), text("d", mark))], {
      system: [text("S", mark)],
    }),
    message: "A maximum of 4 blocks with cache_control may be provided. Found 5.",
  },
  {
    rule: "anthropic/cache-marks-place",
    prepare: signs,
    accepted: body([user, assistant(thinking("good"), use("a", mark)), asks(result("a", mark))]),
    rejected: body([user, assistant({ ...thinking("good"), ...mark }, use("a")), asks(result("a"))]),
    message: "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",
  },
  {
    rule: "anthropic/cache-marks-ttl",
    accepted: body([asks(text("a", mark))], { system: [text("S", hourMark)] }),
    rejected: body([asks(text("a", hourMark))], { system: [text("S", mark)] }),
    message:
      "messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
  },
  {
    rule: "anthropic/cache-marks-ttl",
    accepted: body([asks(text("a", mark))]),
    rejected: body([asks(text("a", { cache_control: { type: "ephemeral", ttl: "2h" } }))]),
    message: "messages.0.content.0.cache_control.ephemeral.ttl: Input should be '5m' or '1h'",
  },
];

describe("a strict Anthropic server", () => {
  checkRules({ wire: "anthropic", cases });

  test("anthropic/version: the header is required", async () => {
    await using server = await startModelServer({ strict: true });
    server.otherwise(says("x"));
    const response = await fetch(`${server.url}/v1/messages`, { method: "POST", body: JSON.stringify(fine) });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { type: "invalid_request_error", message: "anthropic-version: header is required" } },
    ]);
    expect((await ask(server, "anthropic", { body: fine })).status).toBe(200);
  });

  test("a mark on an empty text block is refused even where empty text passes", async () => {
    await using server = await startModelServer({ strict: { except: ["anthropic/text-empty"] } });
    server.otherwise(says("x"));
    const answer = await ask(server, "anthropic", { body: body([asks(text("", mark))]) });
    expect(answer.text).toContain("messages.0.content.0.text: cache_control cannot be set for empty text blocks");
    expect((await ask(server, "anthropic", { body: body([asks(text("x", mark))]) })).status).toBe(200);
  });

  test("every Anthropic rule has a case", () => {
    const wanted = allRules.map(({ id }) => id).filter((id) => id.startsWith("anthropic/"));
    const covered = [...cases.map(({ rule }) => rule), "anthropic/version"];
    expect([...new Set(covered)].sort()).toEqual(wanted.sort());
  });

  test("redacted thinking comes back as it was sent", async () => {
    await using server = await startModelServer({ strict: true });
    server.script(reply([thinks("x", { redacted: true }), says("y")]), says("again"));
    const first = (await ask(server, "anthropic", { body: smallest.anthropic })).json() as { content: object[] };
    const again = body([user, { role: "assistant", content: first.content }, user]);
    expect((await ask(server, "anthropic", { body: again })).status).toBe(200);
    server.assertClean();
  });
});
