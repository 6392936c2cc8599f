import fc from "fast-check";
import type { Message } from "#conversation";

/** Words as they really come: empty, blank, with halves of characters, with tags. */
const words = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.constantFrom("", "  \n", "\ud83d", "a\udc00b", "<think>x</think>y", "[DONE]", "line\r\nline"),
);
const ids = fc.oneof(
  fc.constantFrom("call_1", "call_2", "call_3", "fc_9", "call_A|fc_B", "", "a b.c", "call_1_2"),
  fc.string({ minLength: 1, maxLength: 80 }),
);
const url = fc.constantFrom(
  "https://img.example/a.png",
  "data:image/png;base64,iVBORw0KGgo=",
  "data:image/svg+xml;base64,AAAA",
  "data:image/png;base64,not base64!",
  "ftp://x",
  "",
);
const part = fc.oneof(
  fc.record({ type: fc.constant("text"), text: words }),
  fc.record({ type: fc.constant("image_url"), image_url: fc.record({ url }) }),
  fc.record({ type: fc.constant("input_image"), image_url: url }),
  fc.record({ type: fc.constant("video"), data: words }),
  words,
);
const content = fc.oneof(words, fc.array(part, { maxLength: 3 }), fc.constant(null), fc.record({ text: words }));
const args = fc.oneof(
  fc.json({ maxDepth: 2 }),
  fc.constantFrom("", "{}", "None", '{"a":1,}', '{"a":', "not json", "[]", '"text"'),
  fc.dictionary(fc.string({ maxLength: 4 }), fc.integer(), { maxKeys: 2 }),
);
const name = fc.oneof(fc.constantFrom("read_file", "a.b", "", "x".repeat(90), "näme"), fc.string({ maxLength: 10 }));
const call = fc.oneof(
  fc.record({ id: ids, type: fc.constant("function"), function: fc.record({ name, arguments: args }) }),
  fc.record({
    id: ids,
    call_id: ids,
    response_item_id: fc.constant("fc_1"),
    function: fc.record({ name, arguments: args }),
  }),
  fc.constantFrom({}, null, { id: "call_1" }),
);
const internal = { uid: fc.string(), timestamp: fc.integer(), _scaffold: fc.boolean() };
const message = fc.oneof(
  { weight: 3, arbitrary: fc.record({ role: fc.constant("user"), content, ...internal }) },
  {
    weight: 4,
    arbitrary: fc.record(
      {
        role: fc.constant("assistant"),
        content,
        tool_calls: fc.oneof(fc.array(call, { maxLength: 3 }), fc.constant(null)),
        reasoning: fc.oneof(words, fc.constant(null)),
        reasoning_content: words,
        finish_reason: fc.constant("stop"),
        reasoning_details: fc.array(fc.record({ type: fc.constant("thinking"), thinking: words }), { maxLength: 2 }),
        codex_message_items: fc.array(
          fc.record({ type: fc.constant("message"), id: fc.constant("x"), content: fc.array(part, { maxLength: 2 }) }),
          { maxLength: 1 },
        ),
        codex_reasoning_items: fc.array(fc.record({ type: fc.constant("reasoning"), id: words }), { maxLength: 1 }),
        ...internal,
      },
      { requiredKeys: ["role", "content"] },
    ),
  },
  { weight: 4, arbitrary: fc.record({ role: fc.constant("tool"), content, tool_call_id: ids, tool_name: name }) },
  { weight: 1, arbitrary: fc.record({ role: fc.constantFrom("system", "developer", "function", "ghost"), content }) },
  { weight: 1, arbitrary: fc.constantFrom(null, 7, "text", {}) },
);

/** Any list that a file may hold: orphans, duplicates, torn calls, odd roles, foreign shapes. */
export const arbitraryHistory = fc.array(message, { maxLength: 14 }) as unknown as fc.Arbitrary<readonly Message[]>;
