import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { badKey, calls, noCredit, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";

const demo = ["--provider", "demo"];

describe("one question on the command line", () => {
  it("with -Q prints only the answer; the session's id goes to standard error [20:A8.1] [20:R8.8]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    server.script(says("Good day."));
    const ran = await stage.run(["chat", "-q", "hi", "-Q"]);
    expect(ran).toMatchObject({ code: 0, stdout: "Good day.\n" });
    expect(ran.stderr).toMatch(/^session_id: \d{8}_\d{6}_[0-9a-f]{8}\n$/);
    expect((await server.received(1)).messages.at(-1)).toMatchObject({ role: "user", content: "hi" });
    server.assertClean();
  });

  it("leaves with 1 when the provider fails, and says why [20:A8.1]", async () => {
    await using server = await startModelServer();
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    server.otherwise(badKey());
    const ran = await stage.run(["chat", "-q", "hi", "-Q"]);
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toMatch(/key/i);
    const document = await stage.ask("hi");
    expect(document).toMatchObject({ completed: false, failed: true, final_response: null });
    expect(document["error"]).toMatchObject({ code: "invalid_credentials", message: expect.stringMatching(/\S/) });
    server.otherwise(noCredit());
    expect((await stage.ask("hi"))["error"]).toMatchObject({ code: "insufficient_credits" });
  });

  it("leaves with 3 when there is no usable key, whether a provider was named or not [20:R8.2]", async () => {
    await using stage = await Stage.open({ config: "model:\n  provider: openrouter\n  default: some/model\n" });
    const ran = await stage.run(["chat", "-q", "hi", "-Q"]);
    expect(ran).toMatchObject({ code: 3, stdout: "" });
    expect(ran.stderr).toContain("no usable key for OpenRouter");
    await using empty = await Stage.open();
    expect(await empty.run(["chat", "-q", "hi", "-Q"])).toMatchObject({ code: 3, stdout: "" });
    const unknown = await empty.run(["-z", "hi", "-m", "openruter:some/model"]);
    expect(unknown).toMatchObject({ code: 3, stdout: "" });
    expect(unknown.stderr).toContain('none is called "openruter". Did you mean openrouter?');
  });

  it("takes what is piped in as the question [20:A8.2] [20:R8.8]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    server.otherwise(says("Read."));
    expect(await stage.run(["chat", "-Q"], { input: "hi\n" })).toMatchObject({ code: 0, stdout: "Read.\n" });
    expect(await stage.run(["chat", "-q", "-", "-Q"], { input: "two\nlines\n" })).toMatchObject({ code: 0 });
    expect(await stage.run(["-z", "-"], { input: "" })).toMatchObject({ code: 2, stdout: "" });
    expect(server.requests.map(({ messages }) => messages.at(-1)?.["content"])).toEqual(["hi", "two\nlines"]);
  });

  it("with -z prints the text and nothing else, on either stream [20:R8.10]", async () => {
    await using stage = await Stage.open({ files: { "notes.txt": "one\n" } });
    const ran = await stage.run(["-z", "read notes.txt", ...demo, "--model", "demo"]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toBe("`notes.txt`:\n\n```\n     1|one\n```\n");
  });

  it("refuses -z with a provider but no model [20:A8.4]", async () => {
    await using stage = await Stage.open();
    const ran = await stage.run(["-z", "x", "--provider", "openrouter"]);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain("--model");
  });

  it("denies a dangerous command and goes on; --yolo runs it [20:A8.5] [20:R8.10]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl), files: { "build/x": "" } });
    const build = path.join(stage.work, "build");
    server.script(calls("terminal", { command: "rm -rf build" }), says("I may not."));
    const denied = await stage.run(["-z", "clean up"]);
    expect(denied).toMatchObject({ code: 0, stdout: "I may not.\n" });
    // The person hears what would allow it; the model only that nobody was asked.
    expect(denied.stderr).toContain("nobody can be asked here: rm -rf build");
    expect(denied.stderr).toContain("--yolo");
    const told = JSON.stringify((await server.received(2)).messages.at(-1));
    expect(told).toContain("nobody can be asked here");
    expect(told).not.toMatch(/did not approve|yolo/);
    expect(existsSync(build)).toBe(true);
    server.script(calls("terminal", { command: "rm -rf build" }), says("Gone."));
    expect(await stage.run(["-z", "clean up", "--yolo"])).toMatchObject({ code: 0, stdout: "Gone.\n" });
    expect(existsSync(build)).toBe(false);
  });

  it("leaves with 1 when the session to go on with is not there [20:A8.6] [20:R8.11]", async () => {
    await using stage = await Stage.open();
    for (const args of [
      ["chat", "--resume", "nosuch"],
      ["chat", "-q", "x", "-c", "nosuch"],
      ["chat", "-q", "x", "-c"],
    ]) {
      const ran = await stage.run([...args, ...demo]);
      expect(ran).toMatchObject({ code: 1, stdout: "" });
      expect(ran.stderr).toContain("hermes sessions list");
    }
  });

  it("goes on with the newest session of a title [20:A8.7] [20:R8.11]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    server.otherwise(says("Noted."));
    for (const title of ["my project", "my project #2", "my project #3"]) {
      const { session_id: id } = await stage.ask(`This is ${title}.`);
      expect(await stage.run(["sessions", "rename", String(id), title])).toMatchObject({ code: 0 });
    }
    const before = server.requests.length;
    await stage.ask("Where are we?", "-c", "my project");
    const request = await server.received(before + 1);
    expect(request.messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual([
      "This is my project #3.",
      "Where are we?",
    ]);
  });

  it("without a provider leaves with 3 and says so in the asked form [20:A8.9] [20:R8.2]", async () => {
    await using stage = await Stage.open();
    const asked = await stage.run(["chat", "-q", "x", "--json"]);
    expect(asked.code).toBe(3);
    expect(JSON.parse(asked.stdout)).toMatchObject({ error: { code: "no_provider_configured" } });
    const plain = await stage.run(["-z", "x"]);
    expect(plain).toMatchObject({ code: 3, stdout: "" });
    expect(plain.stderr).toContain("hermes model");
  });

  it("goes on with the last settings that could be read, and names the line that cannot; nothing is written to it [20:A7.4]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    server.otherwise(says("Good day."));
    expect(await stage.run(["-z", "hi"])).toMatchObject({ code: 0, stderr: "" });
    const broken = `${"# line\n".repeat(11)}\tmodel: x\n`;
    await stage.configure(broken);
    const ran = await stage.run(["-z", "hi"]);
    expect(ran).toMatchObject({ code: 0, stdout: "Good day.\n" });
    expect(ran.stderr).toContain("config.yaml:12");
    expect((await stage.run(["config", "set", "timezone", "UTC"])).code).not.toBe(0);
    expect(await stage.read(path.join(stage.home, "config.yaml"))).toBe(broken);
  });

  it("with settings that cannot be read leaves with 4 and names the line, not a missing provider [20:R8.2]", async () => {
    await using stage = await Stage.open({ config: "model:\n  default: [oops\n bad" });
    const plain = await stage.run(["-z", "x"]);
    expect(plain).toMatchObject({ code: 4, stdout: "" });
    expect(plain.stderr).toContain("config.yaml:3:2");
    expect(plain.stderr).toContain("hermes config edit");
    expect((await stage.run(["config", "show"])).stdout).toContain("(cannot be read; defaults)");
  });

  it("with --json prints one document about the whole turn [20:R8.9]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl), files: { "a.txt": "alpha\n" } });
    server.script(calls("read_file", { path: "a.txt" }), says("It says alpha."));
    expect(await stage.ask("What is in a.txt?")).toMatchObject({
      schema_version: 1,
      session_id: expect.stringMatching(/^\d{8}_/),
      final_response: "It says alpha.",
      completed: true,
      failed: false,
      interrupted: false,
      model: "fake-model",
      provider: "custom",
      fallback_used: false,
      api_calls: 2,
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
      cost: { status: expect.any(String), source: expect.any(String) },
      tool_calls: [{ name: "read_file", ok: true, duration_ms: expect.any(Number) }],
    });
  });

  it("with --json-stream prints one event per line, every start with its end [20:R8.9]", async () => {
    await using stage = await Stage.open({ files: { "notes.txt": "one\n" } });
    const ran = await stage.run(["chat", "-q", "read notes.txt", "--json-stream", ...demo]);
    expect(ran.code).toBe(0);
    const events = ran.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; v: number; seq: number; session_id: string });
    expect(events.every((event) => event.v === 1 && /^\d{8}_/.test(event.session_id))).toBe(true);
    expect(events.map((event) => event.seq)).toEqual(events.map((event) => event.seq).toSorted((a, b) => a - b));
    const count = (type: string): number => events.filter((event) => event.type === type).length;
    expect(count("turn-start")).toBe(1);
    expect(count("turn-end")).toBe(1);
    expect(count("tool-start")).toBe(1);
    expect(count("tool-end")).toBe(1);
    expect(count("attempt-start")).toBe(count("attempt-end"));
  });

  it("with --json-input takes inputs as lines of JSON, and answers each [20:R8.9] [20:R10.46]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    server.script(says("Hi."));
    const inputs = [
      { v: 1, type: "submit", ref: "a", text: "hello" },
      { v: 1, type: "submit", ref: "b" },
      { v: 1, type: "complete", ref: "c", line: "/hel" },
    ];
    const input = [...inputs.map((one) => JSON.stringify(one)), "no json", ""].join("\n");
    const ran = await stage.run(["chat", "--json-input"], { input });
    expect(ran.code).toBe(0);
    const lines = ran.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; ref?: string; kind?: string; text?: string });
    expect(lines.filter(({ type }) => type === "reply").map(({ ref, kind }) => [ref, kind])).toEqual([
      ["a", "turn"],
      [undefined, "refused"],
      ["c", "completions"],
      [undefined, "refused"],
    ]);
    expect(lines.find(({ type }) => type === "turn-end")).toMatchObject({ text: "Hi.", exit_reason: "text_response" });
  });

  it("answers a command without a model, and names an image it cannot find [20:R8.12]", async () => {
    await using stage = await Stage.open();
    const listed = await stage.run(["-z", "/help", ...demo, "--model", "demo"]);
    expect(listed.code).toBe(0);
    expect(listed.stdout).toContain("/new");
    const missing = await stage.run(["chat", "-q", "look", "--image", "nosuch.png", ...demo]);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain("nosuch.png");
  });

  it("runs a quick command without the keys Hermes has [20:R9.8] [30:5.11]", async () => {
    await using stage = await Stage.open({
      config: "quick_commands:\n  vars: {type: exec, command: env}\n",
      env: "OPENROUTER_API_KEY=sk-or-hidden-12345678\nEDITOR=visible\n",
    });
    const ran = await stage.run(["chat", "-q", "/vars", "-Q", "-m", "demo"]);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain("PATH=");
    expect(ran.stdout).toContain("EDITOR=visible");
    expect(ran.stdout).not.toContain("sk-or-hidden-12345678");
    expect(ran.stdout).not.toContain("OPENROUTER_API_KEY");
  });

  it("names a setting it does not know, on standard error [20:A7.13]", async () => {
    await using stage = await Stage.open({ config: "compresion:\n  enabled: false\n" });
    const ran = await stage.run(["-z", "hello", ...demo, "--model", "demo"]);
    expect(ran.code).toBe(0);
    expect(ran.stdout).not.toContain("compres");
    expect(ran.stderr).toMatch(/compresion.*compression/s);
  });
});
