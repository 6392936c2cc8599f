import { expect, it } from "vitest";
import { calls, type Reply, reply, says, startModelServer, thinks } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";

const answers: Readonly<Record<string, readonly Reply[]>> = {
  "a file that is not there": [thinks("Let me look."), calls("read_file", { path: "nowhere.txt" })],
  "another exit code": [thinks("Let me see."), calls("terminal", { command: "echo y; exit 1" })],
  "in tags": [says("<think>So.</think>Done.")],
  "empty tags": [says("<think>  </think>Done.")],
};

it("tool results and thoughts of a batch are counted by their rules, and a toolset nobody knows is left out [50:2.7] [50:2.8] [50:2.4] [50:2.10]", async () => {
  await using model = await startModelServer({ strict: true });
  model.onRequest(({ messages }) => {
    const asked = String(messages.findLast(({ role }) => role === "user")?.["content"]);
    return messages.at(-1)?.["role"] === "user" ? reply([...(answers[asked] ?? [])]) : says("Done.");
  });
  await using stage = await Stage.open({
    config: modelConfig(
      model.chatBaseUrl,
      "toolset_distributions:\n  own: { terminal: 100, file: 100, kitchen: 100 }\n",
    ),
    files: {
      "p.jsonl": Object.keys(answers)
        .map((prompt) => JSON.stringify({ prompt }))
        .join("\n"),
    },
  });
  const ran = await stage.run(["batch", "--dataset-file", "p.jsonl", "--run-name", "r", "--distribution", "own"]);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect(ran.stderr.match(/There is no toolset kitchen/g)).toHaveLength(1);
  const entries = (await stage.read("data/r/trajectories.jsonl"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Entry);
  expect(entries).toHaveLength(3);
  for (const entry of entries) expect(entry.toolsets_used).toEqual(["terminal", "file"]);
  const ofPrompt = (prompt: string): Entry | undefined =>
    entries.find(({ conversations }) => conversations.some(({ value }) => value === prompt));
  expect(ofPrompt("a file that is not there")).toMatchObject({
    tool_stats: { read_file: { count: 1, success: 0, failure: 1 } },
    tool_error_counts: { read_file: 1 },
  });
  expect(ofPrompt("another exit code")).toMatchObject({
    tool_stats: { terminal: { count: 1, success: 1, failure: 0 } },
    tool_error_counts: { terminal: 0 },
  });
  expect(JSON.parse(await stage.read("data/r/statistics.json"))).toMatchObject({
    tool_statistics: {
      read_file: { count: 1, success: 0, failure: 1, success_rate: 0, failure_rate: 100 },
      terminal: { count: 1, success: 1, failure: 0, success_rate: 100, failure_rate: 0 },
    },
    // Two thoughts before a tool, two answers after it without any, one thought in tags; the one without any is left out.
    reasoning_statistics: { total_assistant_turns: 5, turns_with_reasoning: 3, turns_without_reasoning: 2 },
    discarded_no_reasoning: 1,
  });
  expect(ran.stdout).toMatch(/read_file +1 +0 +1 +0\.0%/);
});

interface Entry {
  readonly conversations: readonly { readonly value: string }[];
  readonly toolsets_used: readonly string[];
}
