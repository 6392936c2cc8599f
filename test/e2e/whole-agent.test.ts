import { readdirSync, readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { calls, fails, hang, rateLimited, says, startModelServer } from "../fakes/model-server/index.ts";
import { ended, modelConfig, root, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const textOf = (value: unknown): string => JSON.stringify(value);

describe("a turn that is killed in the middle", () => {
  it("keeps every finished step, and doubles none when it goes on [10:A12.3] [10:STORE-1]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    const step = (n: number) => calls("terminal", { command: `echo step-${n} >> steps.txt` }, { id: `call_step_${n}` });
    server.script(step(1), step(2), step(3), step(4), step(5), hang());
    const child = stage.start(["chat", "-q", "Take five steps.", "-Q"]);
    const gone = ended(child);
    await server.received(6);
    child.kill("SIGKILL");
    expect(await gone).toMatchObject({ signal: "SIGKILL" });
    expect(await stage.read("steps.txt")).toBe("step-1\nstep-2\nstep-3\nstep-4\nstep-5\n");

    server.script(says("All five are there."));
    const answer = await stage.ask("Go on.", "-c");
    expect(answer).toMatchObject({ final_response: "All five are there.", completed: true });
    const { messages } = await server.received(7);
    const ids = (role: string): readonly unknown[] =>
      messages
        .filter((message) => message.role === role)
        .flatMap((message) =>
          role === "tool"
            ? [message["tool_call_id"]]
            : ((message["tool_calls"] ?? []) as { id: string }[]).map(({ id }) => id),
        );
    const steps = [1, 2, 3, 4, 5].map((n) => `call_step_${n}`);
    expect(ids("assistant")).toEqual(steps);
    expect(ids("tool")).toEqual(steps);
    expect(messages.filter(({ role }) => role === "user").map(({ content }) => textOf(content))).toEqual([
      expect.stringContaining("Take five steps."),
      expect.stringContaining("Go on."),
    ]);
    const stored = await stage.messages(String(answer["session_id"]));
    expect(stored.filter(({ role }) => role === "tool").map((one) => one.tool_call_id)).toEqual(steps);
    expect(await stage.run(["sessions", "fsck"])).toMatchObject({ code: 0 });
    server.assertClean();
  });
});

describe("providers and money", () => {
  it("goes to the fallback when the first provider is out of room [10:ERR-8]", async () => {
    await using first = await startModelServer();
    await using second = await startModelServer({ strict: true, models: [{ id: "second-model" }] });
    first.otherwise(rateLimited({ retryAfterMs: 60_000 }));
    second.script(says("From the second."));
    const fallback = `fallback_providers:\n  - provider: custom\n    base_url: ${second.chatBaseUrl}\n    model: second-model\n`;
    await using stage = await Stage.open({ config: modelConfig(first.chatBaseUrl, fallback) });
    expect(await stage.ask("hi")).toMatchObject({
      final_response: "From the second.",
      fallback_used: true,
      model: "second-model",
    });
    expect(first.requests).toHaveLength(1);
    second.assertClean();
  });

  it("sends marks for the prompt cache only to the model that has one, there and back again [10:A4.11] [10:CACHE-1] [20:R1.66]", async () => {
    await using first = await startModelServer({ strict: true, models: [{ id: "claude-sonnet-4-6" }] });
    await using second = await startModelServer({ strict: true, models: [{ id: "second-model" }] });
    const config = [
      `model:\n  provider: custom\n  base_url: ${first.anthropicBaseUrl}\n  api_mode: anthropic_messages\n  default: claude-sonnet-4-6\n`,
      `fallback_providers:\n  - provider: custom\n    base_url: ${second.chatBaseUrl}\n    model: second-model\n`,
      "auxiliary:\n  title_generation:\n    enabled: false\n",
    ].join("");
    await using stage = await Stage.open({ config });
    first.script(says("One."), rateLimited({ retryAfterMs: 60_000 }), says("Three."));
    second.script(says("Two."));
    expect(await stage.ask("first")).toMatchObject({ final_response: "One." });
    expect(await stage.ask("second", "-c")).toMatchObject({ final_response: "Two.", model: "second-model" });
    const isMarked = ({ rawBody }: { readonly rawBody: string }): boolean => rawBody.includes('"cache_control"');
    expect(second.requests.map(isMarked)).toEqual([false]);
    expect(await stage.ask("third", "-c")).toMatchObject({ final_response: "Three." });
    expect(first.requests.map(isMarked)).toEqual([true, true, true]);
  });

  it("starts with the fallback, and says so, when the first provider has no key [20:R5.14]", async () => {
    await using second = await startModelServer({ strict: true, models: [{ id: "second-model" }] });
    second.otherwise(says("From the second."));
    const fallback = `fallback_providers:\n  - provider: deepseek\n    model: deepseek-chat\n  - provider: custom\n    base_url: ${second.chatBaseUrl}\n    model: second-model\n`;
    const config = `model:\n  provider: anthropic\n  default: claude-sonnet-4-6\n${fallback}`;
    await using stage = await Stage.open({ config });
    const ran = await stage.run(["chat", "-q", "hi"]);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("From the second.") });
    expect(`${ran.stdout}${ran.stderr}`).toMatch(/no usable key for Anthropic.*Starting with second-model/s);
    expect(await stage.ask("hi")).toMatchObject({ final_response: "From the second.", model: "second-model" });
    second.assertClean();
  });

  it("stops before a call that the budget does not cover, and leaves with 1 [20:R8.2]", async () => {
    await using server = await startModelServer();
    const budget = [
      "budget:\n  session_usd: 0.001\n  mode: hard\n",
      "pricing:\n  overrides:\n    custom:\n      fake-model: {input: 1000, output: 1000}\n",
    ].join("");
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl, budget) });
    server.otherwise(says("Too dear."));
    const ran = await stage.run(["chat", "-q", "hi", "-Q"]);
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toMatch(/budget/i);
    expect(server.requests).toHaveLength(0);
  });

  it("ends the turn before the call that would pass the limit of the session [20:A14.6]", async () => {
    await using server = await startModelServer();
    const budget = [
      "budget:\n  session_usd: 20\n  mode: hard\n",
      "pricing:\n  overrides:\n    custom:\n      fake-model: {input: 1000, output: 1000, cache_read: 1000}\n",
      "auxiliary:\n  title_generation: {enabled: false}\n",
    ].join("");
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl, budget),
      files: { "a.txt": "alpha\n" },
    });
    server.script(calls("read_file", { path: "a.txt" }, { usage: { input: 19_500, output: 50 } }));
    server.otherwise(says("Too dear."));
    const ran = await stage.run(["chat", "-q", "read a.txt", "-Q", "-t", "file", "--ignore-rules"]);
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toContain("budget.session_usd");
    expect(server.requests).toHaveLength(1);
  });

  it("counts what every program of the home spends against the limit of a day, and /usage shows it", async () => {
    await using server = await startModelServer();
    const budget = [
      "budget:\n  daily_usd: 6\n  mode: hard\n",
      "pricing:\n  overrides:\n    custom:\n      fake-model: {input: 1000, output: 1000, cache_read: 1000}\n",
      "auxiliary:\n  title_generation: {enabled: false}\n",
    ].join("");
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl, budget) });
    const ask = (...line: string[]) => stage.run(["chat", "-q", "hi", "-Q", "-t", "none", "--ignore-rules", ...line]);
    server.otherwise(says("Fine.", { usage: { input: 700, output: 50 } }));
    expect(await ask()).toMatchObject({ code: 0 });
    const shown = await stage.run(["chat", "-q", "/usage", "-Q"]);
    expect(shown.stdout).toMatch(/Budget\s+\$0\.75 of \$6\.00 for today/);
    server.otherwise(says("Dear.", { usage: { input: 5000, output: 50 } }));
    expect(await ask()).toMatchObject({ code: 0 });
    const last = await ask();
    expect(last).toMatchObject({ code: 1, stdout: "" });
    expect(last.stderr).toContain("budget.daily_usd");
    expect(server.requests).toHaveLength(2);
  });
});

describe("a window that nobody named", () => {
  it("is 128,000, and what the server says of it when it refuses from then on [20:R6.3]", async () => {
    await using server = await startModelServer();
    const config = modelConfig(server.chatBaseUrl, "auxiliary:\n  title_generation:\n    enabled: false\n");
    await using stage = await Stage.open({ config });
    server.otherwise(says("Noted."));
    const { session_id: id } = await stage.ask(`One. ${"A long story. ".repeat(500)}`);
    for (const turn of ["Two", "Three", "Four"]) await stage.ask(`${turn}. ${"A long story. ".repeat(500)}`, "-c");
    const shows = async (window: string) => {
      await using terminal = new ProgramTerminal(stage, ["--resume", String(id)]);
      await terminal.sees(window);
    };
    await shows("/128K");
    const message =
      "This model's maximum context length is 96000 tokens. However, your messages resulted in 99000 tokens.";
    server.script(fails(400, { message }));
    expect(await stage.ask("Five.", "-c")).toMatchObject({ completed: true });
    await shows("/96K");
  });
});

describe("what one session knows of another", () => {
  it("a memory written in one session is in the prompt of the next [10:MEM-1]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    const fact = "Prefers walnut cake on Thursdays";
    server.script(calls("memory", { action: "add", target: "user", content: fact }), says("I will remember."));
    await stage.ask("Remember my cake.");
    expect((await server.received(1)).systemText).not.toContain(fact);
    server.script(says("Walnut."));
    await stage.ask("Which cake?");
    expect((await server.received(3)).systemText).toContain(fact);
    server.assertClean();
  });

  it("session_search finds it and has it summarised [10:STORE-23]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    server.script(says("The harbour code is pelican-42."));
    await stage.ask("Tell me the harbour code.");
    server.onRequest(({ toolNames }) => (toolNames.length === 0 ? says("They spoke of pelican-42.") : undefined));
    server.script(calls("session_search", { query: "pelican" }), says("Found."));
    expect(await stage.ask("Search our talks.")).toMatchObject({
      final_response: "Found.",
      tool_calls: [{ name: "session_search", ok: true }],
    });
    const [summary] = server.requests.filter(({ toolNames }) => toolNames.length === 0);
    expect(summary?.rawBody).toContain("The harbour code is pelican-42.");
    expect(textOf(server.requests.at(-1)?.messages.at(-1))).toContain("They spoke of pelican-42.");
    server.assertClean();
  });

  it("context_recall reads a message of before the restart by its id", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    server.script(says("Noted."));
    const { session_id: session } = await stage.ask("The gate opens at seven.");
    const [{ uid: id } = {}] = await stage.messages(String(session));
    server.script(calls("context_recall", { id }), says("At seven."));
    expect(await stage.ask("When does it open?", "-c")).toMatchObject({
      tool_calls: [{ name: "context_recall", ok: true }],
    });
    expect((await server.received(3)).messages.at(-1)).toMatchObject({
      role: "tool",
      content: expect.stringContaining("The gate opens at seven."),
    });
    server.assertClean();
  });
});

describe("tools over the wire", () => {
  it("delegate_task runs a child with its own conversation and hands its words back [10:DELEG-1]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl), files: { "a.txt": "alpha\n" } });
    server.script(
      calls("delegate_task", { goal: "Read a.txt and report" }),
      calls("read_file", { path: "a.txt" }),
      says("The file says alpha."),
      says("My helper read it."),
    );
    expect(await stage.ask("Have a.txt read.")).toMatchObject({
      final_response: "My helper read it.",
      tool_calls: [{ name: "delegate_task", ok: true }],
    });
    const child = await server.received(2);
    expect(textOf(child.messages)).toContain("Read a.txt and report");
    expect(textOf(child.messages)).not.toContain("Have a.txt read.");
    expect(child.toolNames).not.toContain("memory");
    expect(textOf((await server.received(4)).messages.at(-1))).toContain("The file says alpha.");
    server.assertClean();
  });

  it("an MCP server of the configuration is usable in a turn, and gone afterwards [30:6.4] [30:MCP-03]", async () => {
    await using server = await startModelServer({ strict: true });
    const fake = path.join(import.meta.dirname, "../fakes/mcp-server/server.mjs");
    await using stage = await Stage.open();
    const pidFile = path.join(stage.folder, "pid");
    const entry = { command: process.execPath, args: [fake, JSON.stringify({ pidFile })], trust: "trusted" };
    await stage.configure(modelConfig(server.chatBaseUrl, `mcp_servers:\n  fake: ${JSON.stringify(entry)}\n`));
    server.script(calls("mcp_fake_echo", { word: "parrot" }), says("It echoed."));
    expect(await stage.ask("Echo, please.")).toMatchObject({
      final_response: "It echoed.",
      tool_calls: [{ name: "mcp_fake_echo", ok: true }],
    });
    expect((await server.received(1)).toolNames).toContain("mcp_fake_echo");
    expect(textOf((await server.received(2)).messages.at(-1))).toContain("parrot");
    // Its own number is one of the sandbox; from outside it is known by what it was started with.
    expect(await stage.read(pidFile)).toMatch(/^\d+$/u);
    const commands = readdirSync("/proc").map((name) => textIn(`/proc/${name}/cmdline`));
    expect(commands.filter((command) => command.includes(pidFile))).toEqual([]);
    server.assertClean();
  });
});

describe("plugins", () => {
  it("that are enabled bring their tools into every turn [30:7.2]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl, "plugins:\n  enabled: [word-count]\n"),
    });
    await cp(path.join(root, "examples/plugins/word-count"), path.join(stage.home, "plugins/word-count"), {
      recursive: true,
    });
    server.script(calls("word_count", { text: "three small words" }), says("Three."));
    expect(await stage.ask("Count.")).toMatchObject({ tool_calls: [{ name: "word_count", ok: true }] });
    expect(textOf((await server.received(2)).messages.at(-1))).toContain('\\"words\\":3');
    server.assertClean();
  });
});

describe("secrets", () => {
  it("in .env reach neither the model nor anything kept, also when a tool prints them [30:5.11] [30:5.12]", async () => {
    await using server = await startModelServer({ strict: true, apiKey: "sk-fake-3b1e77c05d9a4f62" });
    const service = "sk-live-9f8e7d6c5b4a39281706f5e4";
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl).replace("default:", `api_key: $\{FAKE_API_KEY}\n  default:`),
      env: `FAKE_API_KEY=sk-fake-3b1e77c05d9a4f62\nOPENAI_API_KEY=${service}\n`,
    });
    server.script(
      calls("terminal", { command: "env; echo printed: $OPENAI_API_KEY $FAKE_API_KEY" }),
      calls("terminal", { command: `cat ${stage.home}/.env` }),
      calls("read_file", { path: `${stage.home}/.env` }),
      says("Nothing to see."),
    );
    const ran = await stage.run(["chat", "-q", "Show me the environment.", "--json-stream"]);
    expect(ran.code).toBe(0);
    expect(server.requests).toHaveLength(4);
    for (const secret of [service, "sk-fake-3b1e77c05d9a4f62"]) {
      for (const { rawBody } of server.requests) expect(rawBody).not.toContain(secret);
      expect(ran.stdout + ran.stderr).not.toContain(secret);
      expect(await stage.filesWith(secret)).toEqual([".env"]);
    }
    server.assertClean();
  });
});

function textIn(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Not a process, or over by now.
    return "";
  }
}
