import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeEmojis, type ToolFacts, toolLine } from "./tool-line.ts";

const none = {};
const facts = (name: string, args: unknown, more: Partial<ToolFacts> = {}): ToolFacts => ({
  name,
  args,
  preview: "",
  durationMs: 1_234,
  isError: false,
  ...more,
});

describe("tool lines", () => {
  it.each([
    ["terminal", { command: "ls\n-la" }, "💻", "$", "ls … +1 line"],
    ["read_file", { path: "/a/b.ts" }, "📖", "read", "/a/b.ts"],
    ["write_file", { path: "b.ts" }, "✍️", "write", "b.ts"],
    ["patch", { path: "b.ts" }, "🔧", "patch", "b.ts"],
    ["search_files", { pattern: "foo" }, "🔎", "grep", "foo"],
    ["search_files", { pattern: "*.ts", target: "files" }, "🔎", "find", "*.ts"],
    ["web_search", { query: "cats" }, "🔍", "search", "cats"],
    ["web_extract", { urls: ["https://a.example/x", "https://b.example"] }, "📄", "fetch", "a.example +1"],
    ["browser_navigate", { url: "https://a.example/x" }, "🌐", "navigate", "a.example"],
    ["browser_click", { ref: "@e4" }, "👆", "click", "@e4"],
    ["browser_type", { text: "hi" }, "⌨️", "type", '"hi"'],
    ["browser_snapshot", {}, "📸", "snapshot", ""],
    ["browser_vision", { question: "what" }, "👁️", "vision", "what"],
    ["todo", {}, "📋", "plan", "reading tasks"],
    ["todo", { todos: [{}] }, "📋", "plan", "1 task"],
    ["todo", { todos: [{}, {}], merge: true }, "📋", "plan", "update 2 tasks"],
    ["memory", { action: "add", target: "user", content: "likes tea" }, "🧠", "memory", '+user: "likes tea"'],
    ["memory", { action: "remove", target: "memory", old_text: "x" }, "🧠", "memory", '-memory: "x"'],
    ["session_search", { query: "boat" }, "🔍", "recall", '"boat"'],
    ["skills_list", {}, "📚", "skills", ""],
    ["skill_view", { name: "git" }, "📚", "skill", "git"],
    ["execute_code", { code: "\nprint(1)\nx" }, "🐍", "exec", "print(1) … +1 line"],
    ["delegate_task", { goal: "look" }, "🔀", "delegate", "look"],
    ["delegate_task", { tasks: [{ goal: "a" }, { goal: "b" }] }, "🔀", "delegate", "2 parallel tasks"],
    ["cronjob", { action: "list" }, "⏰", "cron", "list"],
    ["send_message", { target: "telegram", message: "hi" }, "📨", "send", "telegram hi"],
    ["image_generate", { prompt: "a cat" }, "🎨", "create", "a cat"],
    ["text_to_speech", { text: "hello" }, "🔊", "speak", "hello"],
    ["process", { action: "poll", session_id: "p1" }, "⚙️", "proc", "poll p1"],
    ["very_long_tool_name", { path: "p", query: "q" }, "⚡", "very_long_tool_name", "q"],
    ["mcp_ev_echo", { message: "hi", times: 2 }, "⚡", "mcp_ev_echo", "message: hi, times: 2"],
    ["mcp_ev_sum", { numbers: [1, 2], options: { round: true } }, "⚡", "mcp_ev_sum", "numbers: [2], options: {…}"],
    ["tool_call", { name: "mcp_ev_echo", arguments: { message: "hi" } }, "⚡", "mcp_ev_echo", "message: hi"],
  ])("%s %j [20:R10.9]", (name, args, emoji, verb, detail) => {
    expect(toolLine(facts(name, args), none)).toMatchObject({ emoji, verb, detail, mark: "" });
  });

  it("end with the exit code of a command, or say what kind of failure it was [20:A10.15] [30:REG-54] [10:TOOL-3]", () => {
    const failed = { details: { kind: "command", exitCode: 2 }, isError: true } as const;
    expect(toolLine(facts("terminal", { command: "x" }, failed), none).mark).toBe(" [exit 2]");
    const denied = { details: { kind: "command", isRefused: true }, isError: true } as const;
    expect(toolLine(facts("terminal", { command: "x" }, denied), none).mark).toBe(" [not run]");
    const going = { details: { kind: "command", processId: "p1" } } as const;
    expect(toolLine(facts("terminal", { command: "x" }, going), none).mark).toBe(" [in the background]");
    expect(toolLine(facts("read_file", {}, { isError: true }), none).mark).toBe(" [error]");
    const full = { details: { kind: "notes", target: "user", outcome: "full" }, isError: true } as const;
    expect(toolLine(facts("memory", {}, full), none).mark).toBe(" [full]");
  });

  it("show what a foreign tool was asked, never the fence around what it answered [20:R10.9]", () => {
    const preview = '<untrusted-data source="mcp:ev">';
    expect(toolLine(facts("mcp_ev_now", {}, { preview }), none)).toMatchObject({ verb: "mcp_ev_now", detail: "" });
  });

  it("count no time that the person took", () => {
    const refused = { details: { kind: "command", exitCode: -1, isRefused: true }, durationMs: 30_000 } as const;
    expect(toolLine(facts("terminal", { command: "rm -rf x" }, refused), none).durationMs).toBe(0);
    expect(toolLine(facts("clarify", { question: "Which?" }, { durationMs: 30_000 }), none).durationMs).toBe(0);
    expect(toolLine(facts("terminal", { command: "ls" }, { durationMs: 30_000 }), none).durationMs).toBe(30_000);
  });

  it("show the answer to a question beside it", () => {
    const result = JSON.stringify({ question: "Which colour?", user_response: "red" });
    expect(toolLine(facts("clarify", { question: "Which colour?" }, { result }), none).detail).toBe(
      "Which colour? → red",
    );
  });

  it("take the emoji of the skin, then of the tool [20:R10.10]", () => {
    const emojis = mergeEmojis({ a: "🐚" }, { a: "🅰", b: "🅱" });
    expect(toolLine(facts("a", {}), emojis).emoji).toBe("🐚");
    expect(toolLine(facts("b", {}), emojis).emoji).toBe("🅱");
    expect(toolLine(facts("c", {}), emojis).emoji).toBe("⚡");
  });

  it("never throw, whatever the model wrote as arguments [20:R10.9]", () => {
    const names = fc.constantFrom("terminal", "todo", "memory", "web_extract", "delegate_task", "constructor", "x");
    fc.assert(
      fc.property(names, fc.anything(), (name, args) => {
        expect(toolLine(facts(name, args), none).detail).not.toMatch(/\n/);
      }),
    );
  });
});
