import { describe, expect, it } from "vitest";
import type { Message } from "#conversation";
import { prepareRequest } from "../../prepare.ts";
import { testRequest } from "../../testing/target.ts";
import { type Markable, markForCache } from "./cache-marks.ts";

const mark = { type: "ephemeral" };
const roles: Readonly<Record<string, string>> = { S: "system", U: "user", A: "assistant", T: "tool" };
const list = (letters: string): readonly Markable[] =>
  [...letters].map((letter, at) => ({ role: roles[letter] ?? "", content: `${letter}${at}` }));
/** One letter per message, with a star where a mark stands. */
function shown(messages: readonly Markable[]): string {
  return messages
    .map((message) => {
      const last: unknown = Array.isArray(message.content) ? message.content.at(-1) : undefined;
      const isMarked =
        message.cache_control !== undefined || (typeof last === "object" && last !== null && "cache_control" in last);
      return `${message.role[0]?.toUpperCase() ?? ""}${isMarked ? "*" : ""}`;
    })
    .join(",");
}

describe("cache marks", () => {
  it.each([
    ["SUATUAT", "block", "S*,U,A,T,U*,A*,T*", "[10:A4.1]"],
    ["SUATUAT", "message", "S*,U,A*,T,U*,A*,T", "[10:A4.2]"],
    ["UA", "block", "U*,A*", "[10:A4.3]"],
    ["S", "block", "S*", "[10:A4.4]"],
    ["", "block", "", "[10:A4.5]"],
    ["UAUAUA", "block", "U,A,U*,A*,U*,A*", ""],
  ] as const)("of %s in %s style stand at %s %s [10:CACHE-3] [10:CACHE-7]", (letters, style, expected, _example) => {
    expect(shown(markForCache(list(letters), { style }))).toBe(expected);
  });

  it("stands on a message with no words [10:A4.6] [10:CACHE-4]", () => {
    for (const style of ["block", "message"] as const) {
      const [marked] = markForCache([{ role: "assistant", content: "" }], { style });
      expect(marked).toEqual({ role: "assistant", content: "", cache_control: mark });
    }
  });

  it("turns a text into one marked part [10:CACHE-4]", () => {
    const [marked] = markForCache([{ role: "user", content: "hi" }], { style: "message" });
    expect(marked?.content).toEqual([{ type: "text", text: "hi", cache_control: mark }]);
  });

  it("stands on the last part only [10:A4.7] [10:CACHE-4]", () => {
    const content = [
      { type: "text", text: "a" },
      { type: "image_url", image_url: { url: "u" } },
    ];
    const [marked] = markForCache([{ role: "user", content }], { style: "block" });
    expect(marked?.content).toEqual([content[0], { ...content[1], cache_control: mark }]);
  });

  it("passes over what cannot carry it [10:CACHE-7] [10:D32]", () => {
    const messages = [
      { role: "user", content: "1" },
      { role: "user", content: [] },
      { role: "assistant", content: [{ type: "thinking", thinking: "t" }] },
    ];
    expect(shown(markForCache(messages, { style: "block" }))).toBe("U*,U,A");
  });

  it("carries the lifetime of an hour and no other [10:A4.8] [10:CACHE-2]", () => {
    expect(JSON.stringify(markForCache(list("SUA"), { style: "block", ttl: "1h" })).match(/"ttl":"1h"/g)).toHaveLength(
      3,
    );
    expect(JSON.stringify(markForCache(list("SUA"), { style: "block", ttl: "2h" }))).not.toContain("ttl");
  });

  it("copies only what it marks and changes nothing it was given [10:CACHE-5] [10:CACHE-8]", () => {
    const messages = list("SUAUAUA");
    const before = JSON.stringify(messages);
    const marked = markForCache(messages, { style: "block" });
    expect(JSON.stringify(messages)).toBe(before);
    expect(marked[1]).toBe(messages[1]);
    expect(marked[2]).toBe(messages[2]);
  });
});

const longHistory: readonly Message[] = [
  { role: "user", content: " hi " },
  {
    role: "assistant",
    content: "",
    tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
  },
  { role: "tool", content: "r", tool_call_id: "c1", tool_name: "f" },
];
const bodyOf = async (input: Parameters<typeof testRequest>[0]): Promise<string> =>
  (await prepareRequest(testRequest(input))).wire.body;

describe("cache marks on the wire", () => {
  it("stand on blocks, and on the tool result itself [10:CACHE-1] [10:CACHE-4] [20:R1.66]", async () => {
    const body = JSON.parse(
      await bodyOf({
        protocol: "anthropic_messages",
        system: "S",
        messages: longHistory,
        quirks: { cacheMarks: "block" },
      }),
    );
    expect(body.system).toEqual([{ type: "text", text: "S", cache_control: mark }]);
    expect(body.messages[0].content[0].cache_control).toEqual(mark);
    expect(body.messages[1].content.at(-1)).toMatchObject({ type: "tool_use", cache_control: mark });
    expect(body.messages[2].content[0]).toEqual({
      type: "tool_result",
      tool_use_id: "c1",
      content: "r",
      cache_control: mark,
    });
  });

  it("stand nowhere without a rule that asks for them", async () => {
    for (const protocol of ["chat_completions", "anthropic_messages", "codex_responses"] as const)
      expect(await bodyOf({ protocol, system: "S", messages: longHistory })).not.toContain("cache_control");
    expect(await bodyOf({ system: "S", messages: longHistory, quirks: { cacheMarks: "message" } })).toContain(
      "cache_control",
    );
  });

  it("leave the bytes of a text alone [10:A4.10] [10:CACHE-6]", async () => {
    const texts = async (messages: readonly Message[]) => {
      const body = JSON.parse(await bodyOf({ messages, quirks: { cacheMarks: "message" } }));
      const { content } = body.messages[0];
      return typeof content === "string" ? content : content[0].text;
    };
    const later = Array.from(
      { length: 6 },
      (_, at): Message =>
        at % 2 === 0 ? { role: "assistant", content: `a${at}` } : { role: "user", content: `u${at}` },
    );
    expect(await texts([{ role: "user", content: " hi " }])).toBe("hi");
    expect(await texts([{ role: "user", content: " hi " }, ...later])).toBe("hi");
  });
});
