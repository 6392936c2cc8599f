import { describe, expect, it } from "vitest";
import { calls, fails, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";

type Line = Record<string, unknown>;

const lines = (text: string): Line[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);

describe("hermes swe-run", () => {
  it("works on each task with the terminal alone until it answers, prints the mark, or has no steps left [50:2.11]", async () => {
    await using server = await startModelServer();
    server.onRequest(({ messages }) => {
      const task = String(messages.find(({ role }) => role === "user")?.["content"]);
      const isFirst = messages.at(-1)?.["role"] === "user";
      if (task.includes("answer")) return isFirst ? calls("terminal", { command: "echo $((6 * 7))" }) : says("42.");
      if (task.includes("mark")) return calls("terminal", { command: "printf MINI_SWE_AGENT_; echo FINAL_OUTPUT" });
      if (task.includes("breaks")) return fails(400);
      return calls("terminal", { command: `echo ${messages.length}` });
    });
    const tasks = ['{"prompt": "answer it"}', '{"task": "print the mark"}', "go on for ever", '{"prompt": "breaks"}'];
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl),
      files: { "tasks.jsonl": `${tasks.join("\n")}\n` },
    });
    const flags = ["--prompts-file", "tasks.jsonl", "--output-file", "out.jsonl", "--max-iterations", "3"];
    const ran = await stage.run(["swe-run", ...flags]);
    expect(ran, ran.stderr).toMatchObject({ code: 1, stdout: expect.stringContaining("2 of 4 completed") });
    const [answered, marked, endless, broken] = lines(await stage.read("out.jsonl"));
    expect(answered).toMatchObject({ completed: true, api_calls: 2, metadata: { env_type: "local" } });
    const turns = answered?.["conversations"] as { from: string; value: string }[];
    expect(turns.map(({ from }) => from)).toEqual(["system", "human", "gpt", "tool", "gpt"]);
    expect(turns[3]?.value).toContain("42");
    // Where there was no thinking an empty block says so.
    expect(turns[4]?.value).toBe("<think>\n</think>\n42.");
    expect(marked).toMatchObject({ completed: true, api_calls: 1 });
    expect(endless).toMatchObject({ completed: false, api_calls: 3 });
    expect(broken).toMatchObject({ conversations: [], completed: false, api_calls: 0, error: expect.any(String) });
    const offered = server.requests[0]?.body["tools"] as { function: { name: string } }[];
    expect(offered.map((tool) => tool.function.name)).toContain("terminal");
  }, 60_000);

  it("wants a task or a file of them [50:2.11]", async () => {
    await using stage = await Stage.open();
    expect(await stage.run(["swe-run"])).toMatchObject({ code: 2, stderr: expect.stringContaining("--task") });
  });
});
