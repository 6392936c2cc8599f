import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

type Received = { readonly messages: readonly Record<string, unknown>[] };
const told = ({ messages }: Received): string => JSON.stringify(messages.at(-1)?.["content"]);

describe("a plan first", () => {
  it("lets a one-shot look at everything and change nothing", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl), files: { "a.txt": "one" } });
    model.script(
      calls("read_file", { path: "a.txt" }),
      calls("terminal", { command: "ls" }),
      calls("write_file", { path: "b.txt", content: "x" }),
      calls("terminal", { command: "touch c.txt" }),
      calls("execute_code", { code: "open('d.txt', 'w')", language: "python" }),
      says("1. Write b.txt."),
    );
    const answer = await stage.ask("Make b.txt.", "--plan", "--yolo");
    expect(answer).toMatchObject({ final_response: "1. Write b.txt.", completed: true });
    expect(told(await model.received(2))).toContain("one");
    expect(told(await model.received(3))).toContain("a.txt");
    for (const at of [4, 5, 6]) expect(told(await model.received(at))).toContain("until the user has accepted it");
    for (const name of ["b.txt", "c.txt", "d.txt"]) expect(existsSync(path.join(stage.work, name))).toBe(false);
  });

  it("in the chat is carried out once it is accepted", async () => {
    await using model = await startModelServer({ strict: true });
    model.otherwise(says("A title"));
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    model.script(calls("write_file", { path: "b.txt", content: "x" }), says("The plan: write it."));
    await terminal.say("/plan write b");
    await terminal.sees("The plan: write it.");
    const planned = await terminal.sees("❯ say what to change · /plan accept to carry it out · /plan off");
    expect(planned).toContain("b.txt [not run]");
    expect(planned).toContain("│ PLAN │");
    expect(existsSync(path.join(stage.work, "b.txt"))).toBe(false);
    model.script(calls("write_file", { path: "b.txt", content: "x" }), says("Written."));
    await terminal.say("/plan accept");
    await terminal.answers("Written.");
    expect(await terminal.text()).not.toContain("PLAN");
    expect(await stage.read("b.txt")).toBe("x");
  });
});

describe("/rewind", () => {
  it("takes conversation and files back to before an earlier message, in one step", async () => {
    await using model = await startModelServer({ strict: true });
    model.otherwise(says("A title"));
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl), files: { "a.txt": "one" } });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    for (const [content, answer] of [
      ["two", "Second."],
      ["three", "Third."],
    ] as const) {
      model.script(
        calls("read_file", { path: "a.txt" }),
        calls("write_file", { path: "a.txt", content }),
        calls("write_file", { path: `${content}.txt`, content }),
        says(answer),
      );
      await terminal.say(`Make it ${content}.`);
      await terminal.answers(answer);
    }
    expect(await stage.read("a.txt")).toBe("three");
    await terminal.say("/rewind 2");
    await terminal.answers("Went back to before: Make it two.");
    expect(await stage.read("a.txt")).toBe("one");
    for (const name of ["two.txt", "three.txt"]) expect(existsSync(path.join(stage.work, name))).toBe(false);
    const before = model.requests.length;
    model.script(says("Hello."));
    await terminal.say("Hi.");
    await terminal.answers("Hello.");
    const spoken = model.requests.slice(before).find(({ messages }) => told({ messages }).includes("Hi."));
    expect(JSON.stringify(spoken?.messages)).not.toContain("Make it");
  });
});

describe("/rollback", () => {
  it("has one checkpoint for a turn that wrote twice and in two projects of its folder; going back takes the turn out of the conversation [20:A11.8] [20:R11.18] [20:R11.19]", async () => {
    await using model = await startModelServer({ strict: true });
    const config = modelConfig(model.chatBaseUrl, "auxiliary:\n  title_generation:\n    enabled: false\n");
    await using stage = await Stage.open({ config, files: { "a.txt": "one", "part/package.json": "{}" } });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    model.script(says("What shall we write?"));
    await terminal.say("Good morning.");
    await terminal.answers("What shall we write?");
    model.script(
      calls("read_file", { path: "a.txt" }),
      calls("write_file", { path: "a.txt", content: "two" }),
      calls("write_file", { path: "a.txt", content: "three" }),
      calls("write_file", { path: "part/b.txt", content: "b" }),
      says("All is written."),
    );
    await terminal.say("Write them.");
    await terminal.answers("All is written.");
    expect(await stage.read("a.txt")).toBe("three");
    await terminal.say("/rollback");
    expect(await terminal.answers(/1 │ \w+ │ just now │ write_file a\.txt/)).not.toMatch(/2 │ \w+ │ just now/);
    await terminal.say("/rollback 1");
    await expect.poll(() => existsSync(path.join(stage.work, "part/b.txt"))).toBe(false);
    await terminal.sees(/\n❯\s*\n─+\s*$/);
    expect(await stage.read("a.txt")).toBe("one");
    const before = model.requests.length;
    model.script(says("Hello."));
    await terminal.say("Hi.");
    await terminal.answers("Hello.");
    const spoken = model.requests.slice(before).find((request) => told(request).includes("Hi."));
    expect(spoken?.messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual([
      "Good morning.",
      "Hi.",
    ]);
  });
});

describe("/context", () => {
  it("says what fills the window, by where it comes from", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl),
      files: { "AGENTS.md": "Speak plainly. ".repeat(40), "a.txt": "word ".repeat(400) },
    });
    model.script(calls("read_file", { path: "a.txt" }), says("Read."));
    const { session_id: id } = await stage.ask("Read it.", "--trust-folder");
    const { stdout } = await stage.run(["chat", "-q", "/context", "-Q", "--resume", String(id)]);
    for (const source of [
      "prompt: identity",
      "prompt: context files",
      "tools: file",
      "results of read_file",
      "together",
    ])
      expect(stdout).toContain(source);
    expect(stdout).toMatch(/results of read_file {2}\d+/);
  });
});

describe("--output-schema", () => {
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

  it("prints JSON that fits, after one retry with what was wrong", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl),
      files: { "schema.json": JSON.stringify(schema) },
    });
    model.script(says('{"city": 3}'), says('```json\n{"city": "Bern"}\n```'));
    const ran = await stage.run(["chat", "-q", "Where?", "--output-schema", "schema.json"]);
    expect(ran).toMatchObject({ code: 0, stdout: '{"city": "Bern"}\n' });
    expect(told(await model.received(2))).toMatch(/does not fit[\s\S]*city/);
  });

  it("fails when the second answer does not fit either, or the schema is none", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl),
      files: { "schema.json": JSON.stringify(schema), "none.json": "[" },
    });
    model.script(says("Bern"), says("Bern!"));
    const ran = await stage.run(["chat", "-q", "Where?", "--json", "--output-schema", "schema.json"]);
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.stdout)).toMatchObject({ failed: true, error: { code: "output_schema" }, api_calls: 2 });
    expect((await stage.run(["chat", "-q", "Where?", "--output-schema", "none.json"])).code).toBe(2);
  });
});

describe("hooks of the shell", () => {
  it("hear requests and the end of a session, and know the home [10:TOOL-15]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open();
    const log = path.join(stage.folder, "events");
    const script = path.join(stage.folder, "hook.sh");
    await writeFile(script, `#!/bin/sh\nprintf '%s ' "$HERMES_HOME" >> ${log}; cat >> ${log}; echo >> ${log}\n`, {
      mode: 0o755,
    });
    const events = ["pre_api_request", "post_api_request", "on_session_finalize", "on_session_reset"];
    const hooks = Object.fromEntries(events.map((event) => [event, [{ command: script, sandbox: false }]]));
    await stage.configure(modelConfig(model.chatBaseUrl, `hooks: ${JSON.stringify(hooks)}\n`));
    model.script(says("Hi."));
    await stage.ask("hello", "--accept-hooks");
    expect(await heard(log, stage.home)).toEqual(["pre_api_request", "post_api_request", "on_session_finalize"]);
    await writeFile(log, "");
    await stage.run(["chat", "-q", "/new", "-Q", "--accept-hooks"]);
    expect(await heard(log, stage.home)).toEqual(["on_session_finalize", "on_session_reset", "on_session_finalize"]);
  });
});

/** The names of the events in order; each was told the home. */
async function heard(log: string, home: string): Promise<readonly string[]> {
  const lines = (await readFile(log, "utf8")).trim().split("\n");
  return lines.map((line) => {
    expect(line.startsWith(`${home} {`)).toBe(true);
    return (JSON.parse(line.slice(home.length + 1)) as { readonly hook_event_name: string }).hook_event_name;
  });
}
