import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { runProcess } from "#foundation/process/run";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { root, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

const example = path.join(root, "examples/library/ask.mjs");
const wrapper = path.join(root, "examples/wrapper/chat.mjs");

it("the library example of the README runs, and what it denies is not run", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-example-"));
  try {
    const project = path.join(folder, "project");
    await mkdir(path.join(project, "build"), { recursive: true });
    await writeFile(path.join(project, "notes.txt"), "tea\n");
    const env = { PATH: process.env["PATH"], HOME: folder, HERMES_HOME: path.join(folder, "home") };
    const ran = await runProcess(process.execPath, [example], { cwd: project, env, timeoutMs: 50_000, signal: never });
    expect(ran.stdout).toContain("notes.txt");
    expect(ran.stdout).toContain('May it run "rm -rf build"? No.');
    expect(ran.stdout).toContain("text_response true");
    expect((await stat(path.join(project, "build"))).isDirectory()).toBe(true);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});

it("the README shows the example as it is", async () => {
  expect(await readFile(path.join(root, "README.md"), "utf8")).toContain(await readFile(example, "utf8"));
});

describe("runConversation of the built library", () => {
  const program = `
    import { createHermes } from ${JSON.stringify(pathToFileURL(path.join(root, "dist/library.cjs")).href)};
    const settings = { "auxiliary.title_generation.enabled": false };
    const hermes = await createHermes({ baseUrl: process.argv[2], model: "fake-model", settings });
    const before = [{ role: "user", content: "Before." }, { role: "assistant", content: "Yes." }];
    const results = [await hermes.runConversation({ message: "Main." })];
    const one = { message: "One.", history: before, systemMessage: "You count pears.", taskId: "pears" };
    results.push(await hermes.runConversation(one));
    results.push(await hermes.runConversation({ message: "Two.", history: results[1].messages, taskId: "pears" }));
    results.push(await hermes.runConversation({ message: "Three.", history: [] }));
    results.push(await hermes.runConversation({ message: "Four." }));
    const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    results.push(await hermes.runConversation({ message: "Five.", outputSchema: schema }));
    await hermes[Symbol.asyncDispose]();
    const said = ({ role, content }) => role + ": " + content;
    console.log(JSON.stringify(results.map(({ sessionId, output, messages }) => ({ sessionId, output, said: messages.map(said) }))));
  `;

  it("takes a history, a system message and a task, and returns the messages; an answer may have to fit a schema [10:LOOP-2]", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ files: { "pears/a.txt": "a" } });
    const script = path.join(stage.folder, "program.mjs");
    await writeFile(script, program);
    model.script(
      says("Main answer."),
      calls("terminal", { command: "cd pears" }),
      says("First."),
      calls("terminal", { command: "pwd" }),
      says("Second."),
      says("Third."),
      says("Fourth."),
      says("Bern"),
      says('{"city": "Bern"}'),
    );
    const ran = await runProcess(process.execPath, [script, model.chatBaseUrl], {
      cwd: stage.work,
      env: stage.environment(),
      timeoutMs: 120_000,
      signal: never,
    });
    expect(ran.stderr).toBe("");
    const results = JSON.parse(ran.stdout) as { sessionId: string; output?: unknown; said: readonly string[] }[];
    const [main, first, second, third, fourth, fifth] = results;
    expect(first?.said.slice(0, 3)).toEqual(["user: Before.", "assistant: Yes.", "user: One."]);
    expect(second?.said.slice(0, first?.said.length)).toEqual(first?.said);
    expect(second?.said.at(-1)).toBe("assistant: Second.");
    expect(third?.said).toEqual(["user: Three.", "assistant: Third."]);
    expect(fourth?.said).toEqual(["user: Main.", "assistant: Main answer.", "user: Four.", "assistant: Fourth."]);
    expect(second?.sessionId).toBe(first?.sessionId);
    expect(new Set([main, first, third].map((one) => one?.sessionId)).size).toBe(3);
    expect(fifth?.output).toEqual({ city: "Bern" });
    const isCounting = model.requests.map(({ systemText }) => systemText.includes("You count pears."));
    expect(isCounting).toEqual([false, true, true, true, true, false, false, false, false]);
    // The terminal of the task is where its last call left it.
    expect(JSON.stringify((await model.received(5)).messages.at(-1))).toContain(path.join(stage.work, "pears"));
    model.assertClean();
  });
});

describe("a program around the terminal", () => {
  it("asks, copies, changes its colours and is left as Hermes is [20:R10.41] [20:R10.44]", async () => {
    await using stage = await Stage.open({ files: { "build/x": "x", "kept/x": "x" } });
    await using terminal = new ProgramTerminal(stage, { script: wrapper });
    await terminal.sees("my program");
    await terminal.sees("❯");
    await terminal.say("run `rm -rf build`");
    await terminal.choose("o");
    await terminal.answers(/rm -rf build/);
    await expect.poll(() => existsSync(path.join(stage.work, "build"))).toBe(false);
    await terminal.say("run `rm -rf kept`");
    await terminal.sees("Esc: no");
    terminal.press("\x1b");
    await terminal.answers("did not approve it");
    expect(existsSync(path.join(stage.work, "kept"))).toBe(true);
    await terminal.say("/copy");
    await terminal.sees("Copied");
    expect(terminal.written).toContain("\x1b]52;c;");
    await terminal.say("/skin mono");
    await terminal.sees(/mono/);
    await expect.poll(() => readFile(path.join(stage.home, "config.yaml"), "utf8")).toContain("skin: mono");
    await terminal.say("/panel");
    await terminal.sees("answered by hermes-demo");
    await terminal.say("/quit");
    expect(await terminal.exited).toBe(0);
  });

  it("is the one that the guide shows", async () => {
    const guide = await readFile(path.join(root, "docs/guide/extending/extend-the-terminal.md"), "utf8");
    expect(guide).toContain(await readFile(wrapper, "utf8"));
  });
});
