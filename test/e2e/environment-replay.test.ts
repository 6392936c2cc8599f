import { describe, expect, it } from "vitest";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";

type Line = Readonly<Record<string, unknown>>;

const lines = (text: string): readonly Line[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);

/** Without what the header of the cassette says may differ. */
function settled(text: string): readonly unknown[] {
  return lines(text).map((line) => {
    const { timestamp: _time, elapsed_seconds: _seconds, ...metadata } = line["metadata"] as Line;
    return { ...line, metadata };
  });
}

const processing = (name: string, ...more: readonly string[]): readonly string[] => [
  ...["env", "terminal-test", "process", "--env.data_path_to_save_groups", `${name}.jsonl`],
  ...["--replay.file", "cassette.jsonl", ...more],
];

/** Does something else each time it is asked, so that only a recording can give the same twice. */
async function startMoodyModel(word = "hello") {
  const server = await startModelServer();
  let asked = 0;
  server.onRequest(({ messages }) => {
    asked += 1;
    return messages.at(-1)?.["role"] === "user"
      ? calls("terminal", {
          command: `echo ${word}; date +%N; printf 579 > ~/answer.txt`,
        })
      : says(`Done, as request ${asked}.`);
  });
  return server;
}

describe("hermes env with a cassette", () => {
  it("replays a recorded run without its model and without a sandbox, byte for byte [50:9.2] [50:9.9.1]", async () => {
    const server = await startMoodyModel();
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    const recorded = await stage.run(processing("recorded", "--replay.mode", "record", "--replay.tools", "true"));
    expect(recorded).toMatchObject({ code: 0 });
    await server[Symbol.asyncDispose]();
    const asked = server.requests.length;
    expect(asked).toBe(18);
    for (const name of ["first", "second"])
      expect(await stage.run(processing(name, "--replay.mode", "replay"))).toMatchObject({ code: 0 });
    expect(server.requests).toHaveLength(asked);
    const [first, second] = [
      await stage.read("first.trajectories.jsonl"),
      await stage.read("second.trajectories.jsonl"),
    ];
    expect(first).toBe(second);
    expect(settled(first)).toEqual(settled(await stage.read("recorded.trajectories.jsonl")));
    expect(await stage.read("first.jsonl")).toBe(await stage.read("recorded.jsonl"));
    expect(lines(await stage.read("first.jsonl")).map(({ scores }) => scores)).toEqual([
      [0, 0, 0],
      [0, 0, 0],
      [1, 1, 1],
    ]);
    const [header, ...kept] = lines(await stage.read("cassette.jsonl"));
    expect(header).toMatchObject({ v: 1, volatile: expect.arrayContaining(["metadata.timestamp"]) });
    expect(kept.filter((line) => "response" in line)).toHaveLength(18);
    expect(kept.find((line) => "tool" in line)).toMatchObject({
      v: 1,
      tool: "terminal",
      key: expect.stringMatching(/#0#tool0$/),
    });
  }, 240_000);

  it("stops where a request is not the recorded one and names the message; auto records what is missing, without secrets [50:9.2] [50:9.9.2]", async () => {
    await using server = await startMoodyModel("sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD");
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    const small = ["--env.total_steps", "1", "--env.group_size", "1"];
    const prompt = (text: string): readonly string[] => ["--env.system_prompt", text];
    const run = (name: string, ...more: readonly string[]) => stage.run(processing(name, ...small, ...more));
    expect(await run("none", "--replay.mode", "replay")).toMatchObject({ code: 2 });
    expect(await run("a", "--replay.mode", "auto", "--replay.tools", "true", ...prompt("Be brief."))).toMatchObject({
      code: 0,
    });
    expect(server.requests).toHaveLength(2);
    expect(await run("b", "--replay.mode", "auto", ...prompt("Be brief."))).toMatchObject({ code: 0 });
    expect(server.requests).toHaveLength(2);
    expect(await stage.read("cassette.jsonl")).not.toContain("sk-proj-abcdefghijklmnopqrstuvwxyz");
    const strict = await run("c", "--replay.mode", "replay", ...prompt("Be brief!"));
    expect(strict).toMatchObject({ code: 1 });
    expect(strict.stderr).toContain("message 0 (system) differs");
    expect(strict.stderr).toContain("- Be brief.");
    expect(strict.stderr).toContain("+ Be brief!");
    const lenient = await run("d", "--replay.mode", "replay", "--replay.strict", "false", ...prompt("Be brief!"));
    expect(lenient).toMatchObject({ code: 0 });
    const missing = await run("e", "--replay.mode", "replay", "--env.group_size", "2", ...prompt("Be brief."));
    expect(missing).toMatchObject({ code: 1 });
    expect(missing.stderr).toContain("nothing is recorded for");
    expect(server.requests).toHaveLength(2);
    expect(await run("f", "--replay.mode", "rewind")).toMatchObject({ code: 2 });
  }, 240_000);
});
