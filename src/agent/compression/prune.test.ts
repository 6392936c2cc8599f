import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callsOf, type Message, textOf, userMessage, violations } from "#conversation";
import { estimateMessage } from "#model";
import { speakingTools } from "#tools/testing";
import { createDelegateTool } from "../delegation/delegate-tool.ts";
import { memoryTool } from "../memory/memory-tool.ts";
import { oneLine, type PruneOptions, prune, pruningTail, shorterArguments } from "./prune.ts";
import { group, stamped } from "./testing/builders.ts";

const tools = new Map([
  ...speakingTools,
  ...[memoryTool, createDelegateTool()].map((tool) => [tool.name, tool] as const),
]);

const options = (tailBudget: number, protectLastN: number, canRecall = false): PruneOptions => ({
  limits: { tailBudget, protectLastN },
  sizeOf: estimateMessage,
  canRecall,
  tools: () => tools,
});
const contents = (messages: readonly Message[]) =>
  messages.filter((message) => message.role === "tool").map((message) => textOf(message.content));

describe("one-line forms", () => {
  const output = `${Array.from({ length: 47 }, (_, index) => `line ${index}`).join("\n")}\n`;
  it.each([
    [
      "terminal",
      { command: "npm test" },
      JSON.stringify({ output, exit_code: 0 }),
      "[terminal] ran `npm test` -> exit 0, 47 lines output",
    ],
    ["read_file", { path: "/a.ts", offset: 20 }, "x".repeat(300), "[read_file] read /a.ts from line 20 (300 chars)"],
    ["write_file", { path: "/a.ts", content: "1\n2\n3" }, "{}", "[write_file] wrote to /a.ts (3 lines)"],
    [
      "search_files",
      { pattern: "foo", path: "src" },
      '{"total_count":7}',
      "[search_files] content search for 'foo' in src -> 7 matches",
    ],
    ["patch", { mode: "replace", path: "/a.ts" }, "y".repeat(210), "[patch] replace in /a.ts (210 chars result)"],
    [
      "web_search",
      { query: "node 20" },
      "r".repeat(250),
      "[web_search] searched the web for 'node 20' (250 chars result)",
    ],
    [
      "web_extract",
      { urls: ["https://a.test", "https://b.test"] },
      "r".repeat(250),
      "[web_extract] extracted https://a.test (+1 more) (250 chars result)",
    ],
    [
      "delegate_task",
      { goal: "find the bug" },
      "r".repeat(250),
      "[delegate_task] goal: find the bug (250 chars result)",
    ],
    ["memory", { action: "add", target: "user" }, "{}", "[memory] add user"],
    ["todo", {}, "{}", "[todo] updated the task list"],
    ["mcp_thing", { a: "1", b: 2, c: 3 }, "r".repeat(250), "[mcp_thing] a=1 b=2 (250 chars result)"],
  ])("[10:A5.7] for %s", (tool, args, content, line) => {
    expect(oneLine({ name: tool, arguments: JSON.stringify(args) }, content, tools)).toBe(line);
  });

  it("never exceed 200 characters or fail, whatever the call says", () => {
    fc.assert(
      fc.property(fc.string(), fc.json(), fc.string(), (tool, args, content) => {
        expect(oneLine({ name: tool.slice(0, 30), arguments: args }, content, tools).length).toBeLessThanOrEqual(200);
      }),
    );
  });
});

describe("pruning", () => {
  it("[10:A5.6] keeps the newest of identical results and refers to it", () => {
    const same = "s".repeat(300);
    const messages = stamped([userMessage("go"), ...["a", "b", "c"].flatMap((id) => group(id, { content: same }))]);
    const pruned = prune(messages, options(1_000_000, 20));
    expect(pruned.prunedResults).toBe(2);
    expect(contents(pruned.messages)).toEqual([
      expect.stringContaining("same result as a later call"),
      expect.stringContaining("same result as a later call"),
      same,
    ]);
  });

  it("[10:A5.7] [10:COMP-10] reduces results outside the tail to one line that says how to read them again", () => {
    const content = JSON.stringify({ output: "x\n".repeat(400), exit_code: 0 });
    const messages = stamped([
      userMessage("go"),
      ...group("a", { args: { command: "npm test" }, content }),
      ...group("b", { content: "y".repeat(900) }),
    ]);
    const pruned = prune(messages, options(10, 2, true));
    expect(contents(pruned.messages)).toEqual([
      "[terminal] ran `npm test` -> exit 0, 400 lines output; full text: context_recall m2",
      "y".repeat(900),
    ]);
    expect(pruned.messages.map((message) => message.uid)).toEqual(messages.map((message) => message.uid));
  });

  it("[10:COMP-10] [10:D37] protects the larger of the budget and the last n messages", () => {
    const messages = stamped([
      userMessage("go"),
      ...["a", "b", "c"].flatMap((id) => group(id, { content: id.repeat(400) })),
    ]);
    expect(pruningTail(messages, options(0, 3))).toBe(4);
    expect(pruningTail(messages, options(1_000_000, 3))).toBe(0);
  });

  it("[10:A5.8] cuts long texts in arguments and leaves JSON", () => {
    const cut = JSON.parse(shorterArguments(JSON.stringify({ path: "/a", content: "z".repeat(600) })));
    expect(cut).toEqual({ path: "/a", content: `${"z".repeat(200)}...[truncated]` });
    const nested = JSON.stringify({ a: { b: ["q".repeat(700), 5, null] } });
    expect(JSON.parse(shorterArguments(nested))).toEqual({ a: { b: [`${"q".repeat(200)}...[truncated]`, 5, null] } });
    expect(shorterArguments(`not json ${"z".repeat(600)}`)).toBe(`not json ${"z".repeat(600)}`);
  });

  it("leaves parts, short results and what is reduced already alone", () => {
    const messages = stamped([
      userMessage("go"),
      ...group("a", { content: "short" }),
      ...group("b", { content: "x".repeat(500) }),
      { role: "assistant", content: "Done." },
    ]);
    const parts = messages.map((message) =>
      message.uid === "m2" && message.role === "tool"
        ? { ...message, content: [{ type: "text" as const, text: "p".repeat(500) }] }
        : message,
    );
    const once = prune(parts, options(0, 0, true));
    expect(once.prunedResults).toBe(1);
    expect(once.messages[2]).toBe(parts[2]);
    expect(prune(once.messages, options(0, 0, true)).messages).toBe(once.messages);
  });

  it("keeps every message, every pair, and does nothing the second time", () => {
    const text = fc.string({ maxLength: 12 }).map((piece) => piece.repeat(60));
    const calls = fc.array(fc.record({ content: text, args: fc.record({ code: text }) }), { maxLength: 12 });
    fc.assert(
      fc.property(calls, fc.nat(2_000), fc.nat(10), fc.boolean(), (input, budget, last, canRecall) => {
        const messages = stamped([userMessage("go"), ...input.flatMap((one, index) => group(`c${index}`, one))]);
        const how = options(budget, last, canRecall);
        const pruned = prune(messages, how);
        expect(pruned.messages.map((message) => message.uid)).toEqual(messages.map((message) => message.uid));
        expect(violations(pruned.messages)).toEqual([]);
        for (const call of pruned.messages.flatMap(callsOf))
          expect(() => JSON.parse(call.function.arguments)).not.toThrow();
        expect(prune(pruned.messages, how).messages).toBe(pruned.messages);
      }),
    );
  });
});
