import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { calls, reply, says, startModelServer, thinks } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";

const quiet = "auxiliary:\n  title_generation:\n    enabled: false\n";

describe("hermes trajectories", () => {
  it("checks, counts and turns back what a run saved [50:1.10]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl, quiet),
      files: { "a.txt": "one\n" },
    });
    server.script(reply([thinks("Look first."), calls("read_file", { path: "a.txt" })]), says("It says one."));
    await stage.run(["chat", "-q", "what is in a.txt?", "-Q", "--save-trajectories"]);
    const file = "trajectory_samples.jsonl";
    expect(await stage.run(["trajectories", "validate", file])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("1 of 1 entry can be used for training."),
    });
    const { stdout } = await stage.run(["trajectories", "stats", file, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ entries: 1, completed: 1, invalid: 0, turns: 5, tool_calls: 1 });
    const ran = await stage.run(["trajectories", "convert", file, "--to", "openai-messages", "--output", "out.jsonl"]);
    expect(ran.code).toBe(0);
    const { messages, completed } = JSON.parse(await stage.read("out.jsonl")) as {
      messages: Record<string, unknown>[];
      completed: boolean;
    };
    expect(completed).toBe(true);
    expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "assistant"]);
    expect(messages[2]).toMatchObject({
      reasoning: "Look first.",
      tool_calls: [{ function: { name: "read_file", arguments: expect.stringContaining("a.txt") } }],
    });
    expect(messages.at(-1)).toMatchObject({ content: "It says one." });
  });

  it("are saved only when the setting or the flag says so, each turn of a conversation under its own name [20:R8.7] [50:1.3] [50:1.9] [50:1.12.3] [50:1.12.4]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl, quiet),
      files: { "a.txt": "one\n" },
    });
    const ask = async (...flags: readonly string[]): Promise<readonly string[]> => {
      server.script(calls("read_file", { path: "a.txt" }), says("It says one."));
      expect(await stage.run(["chat", "-q", "what is in a.txt?", "-Q", ...flags])).toMatchObject({ code: 0 });
      return (await readdir(stage.work)).filter((name) => name.endsWith(".jsonl"));
    };
    expect(await ask()).toEqual([]);
    expect(await ask("--save-trajectories")).toEqual(["trajectory_samples.jsonl"]);
    await stage.configure(modelConfig(server.chatBaseUrl, `${quiet}agent:\n  save_trajectories: true\n`));
    expect(await ask()).toEqual(["trajectory_samples.jsonl"]);
    const saved = (await stage.read("trajectory_samples.jsonl")).trimEnd().split("\n");
    expect(saved).toHaveLength(2);
    const { conversations } = JSON.parse(saved[1] ?? "{}") as { conversations: { from: string; value: string }[] };
    expect(conversations.map(({ from }) => from)).toEqual(["system", "human", "gpt", "tool", "gpt"]);
    expect(conversations[1]?.value).toBe("what is in a.txt?");
    expect(conversations[3]?.value).toMatch(/^<tool_response>\n\{"tool_call_id": /);
  });

  it("says what is wrong with a file, and leaves with 1 [50:1.10]", async () => {
    await using stage = await Stage.open({
      files: {
        "bad.jsonl": '{"conversations":[{"from":"human","value":"hi"}],"completed":true}\n',
        "broken.jsonl": "[]\n",
      },
    });
    const bad = await stage.run(["trajectories", "validate", "bad.jsonl"]);
    expect(bad).toMatchObject({ code: 1, stdout: expect.stringContaining("the first turn is not the system's") });
    const broken = await stage.run(["trajectories", "stats", "broken.jsonl"]);
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining("Line 1 of") });
    const missing = await stage.run(["trajectories", "stats", "nowhere.jsonl"]);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringMatching(/no file .*nowhere\.jsonl/) });
  });

  it("a one-shot run writes its conversation to a file of its own [50:1.1]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl, quiet) });
    server.script(says("Here."));
    await stage.run(["chat", "-q", "show me", "-Q", "--save-sample"]);
    const [name = ""] = (await readdir(stage.work)).filter((one) => one.startsWith("sample_"));
    expect(name).toMatch(/^sample_[0-9a-f]{8}\.json$/);
    const text = await readFile(path.join(stage.work, name), "utf8");
    expect(text).toMatch(/^\{\n {2}"conversations": \[/);
    expect(JSON.parse(text)).toMatchObject({ query: "show me", completed: true, model: "fake-model" });
  });
});
