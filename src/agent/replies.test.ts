import { describe, expect, it } from "vitest";
import { isValid, type Message } from "#conversation";
import { fakeTool } from "#tools/testing";
import { calls, reply, says, thinks } from "../../test/fakes/model-server/index.ts";
import { harnesses, protocols } from "./testing/harnesses.ts";

const harness = harnesses();
const cut = (text: string) => reply([says(text)], { finish: "length" });
const contents = (messages: readonly Message[]) => messages.map((message) => message.content);
const nothing = reply([]);

describe("an answer that is cut", () => {
  it("keeps the space at the place of the cut [10:LOOP-27]", async () => {
    const { agent, server, recorded } = await harness();
    server.script(cut("Hello "), cut("wide"), says("\nworld."));
    expect((await agent.runConversation({ userMessage: "Write" })).text).toBe("Hello wide\nworld.");
    expect(contents(recorded)).toEqual(["Write", "Hello wide\nworld."]);
  });

  it("is one answer to whoever saw it stream [10:LOOP-7] [10:LOOP-41]", async () => {
    const { agent, server } = await harness();
    server.script(cut("Hello "), says("world."));
    expect(await agent.runConversation({ userMessage: "Write" })).toMatchObject({ wasPreviewed: true });
  });

  it("asks for more room than the user's limit, never for less, and for one request only [10:LOOP-28]", async () => {
    const { agent, server, requests } = await harness({
      target: { limits: { contextWindow: 128_000, defaultOutputTokens: 9_000 } },
    });
    server.script(cut("a"), cut("b"), cut("c"), says("d"), says("again"));
    await agent.runConversation({ userMessage: "Write" });
    await agent.runConversation({ userMessage: "More" });
    expect(requests.map((request) => request.options.maxOutputTokens)).toEqual([
      undefined,
      18_000,
      27_000,
      32_768,
      undefined,
    ]);
  });

  it("keeps what was shown when the continuation fails for good [10:LOOP-20] [10:D26]", async () => {
    const { agent, server, recorded } = await harness({ remedies: { maxAttempts: 1 } });
    server.script(cut("The first half"));
    const ended = await agent.runConversation({ userMessage: "Write" });
    expect(ended).toMatchObject({
      text: "The first half",
      exitReason: "partial_stream_recovery",
      partial: true,
      errorClass: "server_error",
    });
    expect(recorded.at(-1)).toMatchObject({ role: "assistant", content: "The first half" });
  });
});

describe.each(protocols)("a defective reply over %s", (protocol) => {
  it("that cuts a call is discarded, asked for again once with more room, then the turn ends [10:LOOP-29] [10:A1.8]", async () => {
    const { agent, server, recorded, requests } = await harness({ protocol });
    const half = reply([calls("terminal", '{"command": "ls')], { finish: "length" });
    server.script(half, half);
    const ended = await agent.runConversation({ userMessage: "Go" });
    expect(ended).toMatchObject({ exitReason: "truncated_tool_call", partial: true, text: undefined });
    expect(recorded).toHaveLength(1);
    expect(requests.map((request) => request.options.maxOutputTokens)).toEqual([undefined, 8_192]);
  });

  it("that lists unknown tools twice is explained, a third time ends the turn [10:LOOP-33] [10:A1.7]", async () => {
    const { agent, server, recorded } = await harness({ protocol });
    const wrong = reply([calls("totally_unknown_xyz", {}), calls("terminal", { command: "ls" })]);
    server.script(wrong, wrong, wrong);
    const ended = await agent.runConversation({ userMessage: "Go" });
    expect(ended).toMatchObject({ exitReason: "invalid_tool_calls", partial: true });
    const results = recorded.filter((message) => message.role === "tool").map((message) => String(message.content));
    expect(results).toHaveLength(4);
    expect(results[0]).toContain("Available: terminal, todo");
    expect(results[1]).toContain("Send this call again");
    expect(recorded.filter((message) => message.role === "assistant")).toHaveLength(2);
    expect(isValid(recorded)).toBe(true);
    server.assertClean();
  });

  it("that says nothing after housekeeping lets the words before it stand [10:LOOP-37]", async () => {
    const { agent, server } = await harness({ protocol });
    server.script(reply([says("All noted."), calls("todo", {})]), nothing);
    expect(await agent.runConversation({ userMessage: "Note" })).toMatchObject({
      text: "All noted.",
      exitReason: "fallback_prior_turn_content",
      completed: true,
    });
  });

  it("that says nothing is nudged once after tools, repeated three times, then given up [10:LOOP-37] [10:LOOP-26] [10:D25]", async () => {
    const { agent, server, recorded } = await harness({ protocol });
    server.script(calls("terminal", { command: "ls" }));
    server.otherwise(nothing);
    const ended = await agent.runConversation({ userMessage: "Go" });
    expect(ended).toMatchObject({ exitReason: "empty_response_exhausted", text: "(empty)", partial: true });
    expect(await server.received(6)).toBeDefined();
    const third = JSON.stringify((await server.received(3)).messages);
    expect(third).toContain("Your reply was empty");
    expect(recorded.map((message) => message.role)).toEqual(["user", "assistant", "tool"]);
    expect(JSON.stringify(ended.messages)).not.toContain("(empty)");
    expect(server.rejections).toEqual([]);
  });
});

describe("thinking without an answer", () => {
  it.each(protocols)(
    "over %s is handed back as a beginning, and gone when words follow [10:LOOP-37] [10:LOOP-41]",
    async (protocol) => {
      const { agent, server, recorded } = await harness({ protocol });
      const thought =
        protocol === "codex_responses" ? reply([thinks("Hm.", { encrypted: true })]) : reply([thinks("Hm.")]);
      server.script(thought, thought, says("Done."));
      const ended = await agent.runConversation({ userMessage: "Go" });
      expect(ended).toMatchObject({ text: "Done.", completed: true });
      expect(contents(recorded)).toEqual(["Go", "Done."]);
      expect(JSON.stringify(ended.messages)).not.toContain("_thinking_prefill");
      expect(server.rejections).toEqual([]);
    },
  );

  it("that took the whole output says so, with what to change [10:LOOP-30]", async () => {
    const { agent, server, recorded } = await harness();
    server.script(reply([thinks("Hm. ".repeat(50))], { finish: "length" }));
    const ended = await agent.runConversation({ userMessage: "Go" });
    expect(ended).toMatchObject({ exitReason: "thinking_budget_exhausted", partial: true });
    expect(ended.text).toContain("reasoning effort");
    expect(recorded).toHaveLength(1);
  });

  it("in a scratchpad that is never closed is asked for again twice, and not kept [10:LOOP-38]", async () => {
    const { agent, server, recorded } = await harness();
    server.otherwise(says("<REASONING_SCRATCHPAD>first I"));
    const ended = await agent.runConversation({ userMessage: "Go" });
    expect(ended).toMatchObject({ exitReason: "incomplete_reasoning", partial: true });
    expect(await server.received(3)).toBeDefined();
    expect(recorded).toHaveLength(1);
  });
});

describe("what a model writes of a call", () => {
  it.each([
    ["BrowserClick_tool", "browser_click"],
    ["TodoTool_tool", "todo"],
    ["websearch", "web_search"],
    ["Web-Search", "web_search"],
  ])("is mended: %s is %s [10:LOOP-32] [10:A1.7]", async (written, meant) => {
    const { agent, server } = await harness({ tools: [fakeTool("browser_click"), fakeTool("web_search")] });
    server.script(calls(written, {}), says("Done"));
    const ended = await agent.runConversation({ userMessage: "Go" });
    expect(ended.completed).toBe(true);
    expect(ended.messages[2]).toMatchObject({ role: "tool", tool_name: meant });
  });

  it.each([
    ['{"a":1,}', '{"a":1}'],
    ['{"a":[1,2}', '{"a":[1,2]}'],
    ["None", "{}"],
    ['{"a":"x\ny"}', '{"a":"x\\ny"}'],
  ])("is mended where one meaning is left: %s [10:LOOP-35] [10:A1.8] [10:D28]", async (written, meant) => {
    const seen: unknown[] = [];
    const tool = fakeTool("probe", {
      execute: (args) => Promise.resolve({ ok: true, ...(seen.push(args) && {}) } as never),
    });
    const { agent, server } = await harness({ tools: [tool] });
    server.script(calls("probe", written), says("Done"));
    await agent.runConversation({ userMessage: "Go" });
    expect(seen).toEqual([JSON.parse(meant)]);
  });

  it("is not mended into a call that lacks what the tool needs [10:LOOP-35] [10:A1.8] [10:D28]", async () => {
    const ran: unknown[] = [];
    const tool = fakeTool("write", {
      parameters: { type: "object", properties: { path: {}, text: {} }, required: ["path", "text"] },
      execute: (args) => {
        ran.push(args);
        return Promise.resolve({} as never);
      },
    });
    const { agent, server, recorded } = await harness({ tools: [tool] });
    server.script(calls("write", '{"path":["a"}'), calls("write", '{"path":["a"}'));
    expect((await agent.runConversation({ userMessage: "Go" })).exitReason).toBe("truncated_tool_call");
    expect(ran).toEqual([]);
    expect(recorded).toHaveLength(1);
  });

  it("is asked for again twice when it is no JSON, then explained with the parser's words [10:LOOP-34]", async () => {
    const { agent, server, recorded } = await harness();
    const bad = calls("terminal", '{"command": nope}');
    server.script(bad, bad, bad, says("I give up"));
    const ended = await agent.runConversation({ userMessage: "Go" });
    expect(ended).toMatchObject({ completed: true, text: "I give up" });
    expect(recorded.map((message) => message.role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(recorded[1]).toMatchObject({ tool_calls: [{ function: { arguments: "{}" } }] });
    expect(String(recorded[2]?.content)).toMatch(/JSON.*send \{\}/s);
  });

  it("counts once when it is written twice in one reply [10:LOOP-36]", async () => {
    const { agent, server } = await harness();
    server.script(
      reply([calls("terminal", '{"a":1,"b":2}'), calls("terminal", '{"b":2,"a":1}'), calls("terminal", { a: 2 })]),
      says("Done"),
    );
    const ended = await agent.runConversation({ userMessage: "Go" });
    expect(ended.messages.filter((message) => message.role === "tool")).toHaveLength(2);
  });

  it("gets an error where more children are asked for than may run [10:LOOP-36]", async () => {
    const { agent, server } = await harness({ tools: [fakeTool("delegate_task", { isDelegation: true })] });
    server.script(reply([1, 2, 3, 4].map((goal) => calls("delegate_task", { goal }))), says("Done"));
    const ended = await agent.runConversation({ userMessage: "Go" });
    const results = ended.messages
      .filter((message) => message.role === "tool")
      .map((message) => String(message.content));
    expect(results).toHaveLength(4);
    expect(results.slice(0, 3).join()).not.toContain("error");
    expect(results[3]).toContain("Only 3 delegations");
  });

  it("gets a derived id when it comes without one [10:A1.11] [10:LOOP-10]", async () => {
    const { agent, server } = await harness();
    server.script(calls("terminal", '{"command":"ls"}', { id: null }), says("Done"));
    const ended = await agent.runConversation({ userMessage: "Go" });
    expect(ended.messages[2]).toMatchObject({ tool_call_id: "call_40ccaef54d02" });
  });
});

describe("the Responses wire", () => {
  const codex = { protocol: "codex_responses" } as const;

  it("goes on with an answer left unfinished, three times, and joins it [10:LOOP-39] [20:R1.39]", async () => {
    const { agent, server, recorded } = await harness(codex);
    server.script(cut("a "), cut("b "), cut("c "), says("d"));
    const ended = await agent.runConversation({ userMessage: "Go" });
    expect(ended).toMatchObject({ text: "a b c d", completed: true });
    expect(recorded.at(-1)).toMatchObject({ content: "a b c d" });
    server.script(says("Next"));
    await agent.runConversation({ userMessage: "And?" });
    expect(JSON.stringify((await server.received(5)).messages)).toContain("a b c d");
    expect(server.rejections).toEqual([]);
  });

  it("does not send the same interim answer twice [10:LOOP-39]", async () => {
    const { agent, server } = await harness(codex);
    server.script(cut("same"), cut("same"), says("end"));
    await agent.runConversation({ userMessage: "Go" });
    const text = JSON.stringify((await server.received(3)).messages);
    expect(text.match(/same/g)).toHaveLength(1);
  });

  it("turns an announcement into work, at most twice [10:LOOP-40] [10:LOOP-41]", async () => {
    const { agent, server, recorded } = await harness(codex);
    const plan = says("I'll inspect the repository first.");
    server.script(plan, plan, plan);
    const ended = await agent.runConversation({ userMessage: "Fix the bug in this repo" });
    expect(ended).toMatchObject({ completed: true, exitReason: "text_response" });
    expect(ended.text).toBe("I'll inspect the repository first.");
    expect(JSON.stringify((await server.received(3)).messages)).toContain("Do it now");
    expect(recorded).toHaveLength(2);
  });

  it("leaves an announcement alone once tools were used, and on other wires [10:LOOP-40]", async () => {
    const { agent, server } = await harness(codex);
    server.script(calls("terminal", { command: "ls" }), says("I'll check the repository."));
    expect((await agent.runConversation({ userMessage: "Look at the repo" })).apiCalls).toBe(2);
    const other = await harness();
    other.server.script(says("I'll check the repository."));
    expect((await other.agent.runConversation({ userMessage: "Look at the repo" })).completed).toBe(true);
  });
});

describe("GLM behind Ollama", () => {
  it("is taken to be cut when it stops in the middle of a sentence after tools [10:LOOP-31]", async () => {
    const { agent, server } = await harness({ target: { model: "glm-4.7", provider: "ollama", isLocal: true } });
    server.script(
      calls("terminal", { command: "ls" }),
      says("There are two files and the second one"),
      says(" is empty."),
    );
    const ended = await agent.runConversation({ userMessage: "Look" });
    expect(ended.text).toBe("There are two files and the second one is empty.");
  });

  it("is left alone when the text ends naturally or no tool was used [10:LOOP-31]", async () => {
    const { agent, server } = await harness({ target: { model: "glm-4.7", provider: "ollama", isLocal: true } });
    server.script(calls("terminal", { command: "ls" }), says("There are two files, one of them empty."));
    expect((await agent.runConversation({ userMessage: "Look" })).completed).toBe(true);
    server.script(says("An answer without its last full stop"));
    expect((await agent.runConversation({ userMessage: "Hi" })).apiCalls).toBe(1);
  });
});

describe("an answer that a filter took away", () => {
  it("is not asked for again; it is said why there is none [10:ERR-1]", async () => {
    const { agent, server } = await harness();
    server.script(reply([], { finish: "content_filter" }));
    const ended = await agent.runConversation({ userMessage: "Go" });
    expect(ended).toMatchObject({ failed: true, exitReason: "non_retryable_error", errorClass: "content_filtered" });
    server.assertClean();
  });
});
