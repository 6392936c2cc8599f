import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { calls, fails, says, startModelServer } from "../fakes/model-server/index.ts";
import { ended, modelConfig, Stage } from "./support/stage.ts";

type Line = Record<string, unknown>;

const lines = (text: string): Line[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);

function samples(stage: Stage): Line[] {
  const folder = path.join(stage.work, "evals");
  const name = readdirSync(folder).find((one) => one.startsWith("samples_")) ?? "";
  return lines(readFileSync(path.join(folder, name), "utf8"));
}

function metrics(stage: Stage): Line {
  const text = readFileSync(path.join(stage.work, "evals", "metrics.json"), "utf8");
  return (JSON.parse(text) as { results: { all: Line } }).results.all;
}

/** An environment whose items are prompts; `reward` is the body of a function of item, result and tools. */
const environment = (items: readonly string[], reward: string, config = ""): string => `
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
const items = ${JSON.stringify(items)};
let at = 0;
export const environment = {
  name: "own", about: "For a test",
  config: { enabled_toolsets: ["terminal", "file"], max_agent_turns: 6, ensure_scores_are_not_same: false, ${config} },
  async open() {
    return { next: () => items[at++], evaluation: items, prompt: (item) => item, nameOf: (item) => item,
      async reward(item, result, tools) { ${reward} } };
  },
};`;

const evaluate = ["env", "./own.mjs", "evaluate", "--env.data_dir_to_save_evals", "evals"];
const fewRetries = "agent:\n  api_max_retries: 1\n";

describe("rollouts", () => {
  it("give reward code the very sandbox the model used [50:4.6] [50:4.10.11] [30:REG-80]", async () => {
    await using server = await startModelServer();
    server.script(calls("terminal", { command: "echo secret >made.txt; mkdir sub; cd sub" }), says("Done."));
    const reward = `
      const bytes = randomBytes(300_000);
      mkdirSync("local folder/deep", { recursive: true });
      writeFileSync("local folder/deep/b.bin", bytes);
      writeFileSync("local folder/empty", "");
      const back = await (async () => {
        await tools.uploadFile("local folder/deep/b.bin", "~/it's here/b.bin");
        const got = await tools.downloadFile("~/it's here/b.bin", "got/b.bin");
        return { ...got, isSame: readFileSync("got/b.bin").equals(bytes) };
      })();
      const details = {
        seen: await tools.terminal("cat ../made.txt; basename $PWD"),
        slow: await tools.terminal("sleep 60", 1),
        failed: await tools.terminal("exit 3"),
        read: await tools.readFile("../made.txt"),
        nothing: await tools.readFile("no-such-file"),
        wrote: await tools.writeFile("deep/er/w.txt", "\\u00fc\\n"),
        text: await tools.readText("deep/er/w.txt"),
        none: (await tools.readText("no-such-file")) === undefined,
        found: await tools.search("secret", ".."),
        missing: await tools.uploadFile("/no/such", "x"),
        back,
        up: await tools.uploadDir("local folder", "dir"),
        down: await tools.downloadDir("dir", "got/dir"),
        empty: await tools.downloadDir("nothing-here", "got/none"),
        raw: await tools.callTool("read_file", { path: "../made.txt" }),
      };
      return { reward: 1, details };`;
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl),
      files: { "own.mjs": environment(["Go."], reward) },
    });
    const ran = await stage.run(evaluate);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    const [sample] = samples(stage);
    expect(JSON.stringify(sample?.["messages"])).toContain('\\"exit_code\\":0');
    expect(sample).toMatchObject({
      seen: { exit_code: 0, output: "secret\nsub\n" },
      slow: { exit_code: 124 },
      failed: { exit_code: 3 },
      read: { content: expect.stringContaining("secret") },
      nothing: { error: expect.any(String) },
      wrote: { bytes_written: 3 },
      text: "ü\n",
      none: true,
      missing: { exit_code: -1, output: "Local file not found: /no/such" },
      back: { success: true, bytes: 300_000, isSame: true },
      up: [{ exit_code: 0 }, { exit_code: 0 }],
      down: [
        { success: true, bytes: 300_000 },
        { success: true, bytes: 0 },
      ],
      empty: [{ success: false }],
    });
    expect(JSON.stringify(sample?.["found"])).toContain("made.txt");
    expect(JSON.parse(String(sample?.["raw"]))).toMatchObject({ content: expect.stringContaining("secret") });
  }, 90_000);

  it("answer wrong calls with errors, keep what was said when the model fails, and score only what said something [50:4.5] [50:4.10.4] [50:4.10.6] [50:4.10.7] [50:4.10.8] [50:4.10.12]", async () => {
    await using server = await startModelServer();
    server.onRequest(({ messages }) => {
      const asked = String(messages.find(({ role }) => role === "user")?.["content"]);
      const turn = messages.filter(({ role }) => role === "assistant").length;
      if (asked === "early") return fails(400, { message: "no" });
      if (asked === "late")
        return turn === 0 ? calls("terminal", { command: "echo 1" }) : fails(400, { message: "no" });
      if (asked === "throws" || asked === "plain")
        return turn === 0 ? calls("terminal", { command: "echo 1" }) : says("Done.");
      if (turn === 0) return calls("no_such_tool", { a: 1 });
      return turn === 1 ? calls("memory", { action: "add", target: "memory", content: "x" }) : says("Done.");
    });
    const reward = `if (item === "throws") throw new Error("a reward that throws");
      return { reward: 1, details: { turns: result.turns_used, stop: result.stop_reason, errors: result.tool_errors } };`;
    const items = ["plain", "wrong", "late", "early", "throws"];
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl, fewRetries),
      files: { "own.mjs": environment(items, reward) },
    });
    const ran = await stage.run([...evaluate, "--env.extra_body", '{"top_k": 5}', "--env.agent_temperature", "0.3"]);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    const byName = Object.fromEntries(samples(stage).map((one) => [one["task_name"], one]));
    expect(byName["plain"]).toMatchObject({ reward: 1, turns: 2, stop: "final", finished_naturally: true, errors: [] });
    expect(byName["wrong"]).toMatchObject({
      ...{ reward: 1, turns: 3, stop: "final" },
      errors: [
        { turn: 1, tool_name: "no_such_tool", error: expect.stringContaining("no_such_tool") },
        { turn: 2, tool_name: "memory" },
      ],
    });
    expect(byName["late"]).toMatchObject({ reward: 1, stop: "api_error", finished_naturally: false });
    expect(byName["early"]).toMatchObject({ reward: 0, error: expect.any(String), messages: expect.any(Array) });
    expect(byName["throws"]).toMatchObject({ reward: 0, error: expect.stringContaining("a reward that throws") });
    expect(JSON.parse(server.requests[0]?.rawBody ?? "{}")).toMatchObject({ top_k: 5, temperature: 0.3 });
    expect(metrics(stage)).toMatchObject({ "eval/infra_error_rate": 0.4 });
  }, 120_000);

  it("of a group have the same tools, drawn once, without those that are switched off [50:4.4] [50:2.4]", async () => {
    await using server = await startModelServer();
    server.otherwise(says("Done."));
    const own = "toolset_distributions:\n  mine: { terminal: 50, file: 50, web: 100 }\n";
    const items = Array.from({ length: 12 }, (_, n) => `item ${n}`);
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl, own),
      files: { "own.mjs": environment(items, "return 1;", "group_size: 2, total_steps: 12") },
    });
    const drawn = ["--env.distribution", "mine", "--env.disabled_toolsets", "web", "--rng", "7"];
    const ran = await stage.run(["env", "./own.mjs", "process", ...drawn]);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    const toolsOf = items.map((item) => {
      const asked = server.requests.filter(({ messages }) => messages.some(({ content }) => content === item));
      const names = asked.map(({ rawBody }) => {
        const { tools = [] } = JSON.parse(rawBody) as { tools?: { function: { name: string } }[] };
        return tools.map((tool) => tool.function.name).sort();
      });
      expect(names).toHaveLength(2);
      expect(names[1]).toEqual(names[0]);
      return (names[0] ?? []).join(",");
    });
    expect(new Set(toolsOf).size).toBeGreaterThan(1);
    expect(toolsOf.join()).not.toContain("web_search");
    const unknown = await stage.run(["env", "./own.mjs", "process", "--env.distribution", "nobody"]);
    expect(unknown.code).not.toBe(0);
    expect(unknown.stderr).toContain("terminal_web");
  }, 120_000);

  it("that are interrupted leave their results and no sandbox [50:4.9] [50:4.10.14]", async () => {
    await using server = await startModelServer();
    server.onRequest(({ messages }) =>
      messages.some(({ content }) => content === "slow") ? calls("terminal", { command: "sleep 300" }) : says("Done."),
    );
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl),
      files: { "own.mjs": environment(["fast", "slow"], "return 1;") },
    });
    const program = stage.start([...evaluate, "--env.max_eval_workers", "1"]);
    const said = ended(program);
    // The second item is asked about when the first one's line is on disk.
    await server.received(2);
    program.kill("SIGINT");
    await once(program, "exit");
    expect(await said).toMatchObject({ code: 130, stderr: expect.stringContaining("1 result saved") });
    expect(samples(stage)).toMatchObject([{ task_name: "fast", reward: 1 }]);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`hermes-rollout-${program.pid}-`))).toEqual([]);
  }, 60_000);

  it("on a chat server get tokens that stand in for the real ones [50:5.6]", async () => {
    await using server = await startModelServer();
    server.otherwise(says("A few words of an answer."));
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl),
      files: { "own.mjs": environment(["A question?", "Another?"], "return 1;", "group_size: 1, total_steps: 1") },
    });
    const process_ = ["env", "./own.mjs", "process", "--env.data_path_to_save_groups"];
    expect(await stage.run([...process_, "plain.jsonl"])).toMatchObject({ code: 0 });
    const [plain] = lines(await stage.read("plain.jsonl"));
    const length = Math.floor("A question?\nA few words of an answer.".length / 4);
    const counted = Array.from({ length }, (_, index) => index);
    expect(plain).toMatchObject({ tokens: [counted], masks: [[-100, ...counted.slice(1)]], inference_logprobs: null });
    const dummy = { env: { ATROPOS_ALLOW_DUMMY_MANAGED_SERVER: "yes" } };
    expect(await stage.run([...process_, "dummy.jsonl"], dummy)).toMatchObject({ code: 0 });
    const [fixed] = lines(await stage.read("dummy.jsonl"));
    expect(fixed?.["tokens"]).toEqual([Array.from({ length: 128 }, (_, index) => index)]);
    expect(fixed?.["inference_logprobs"]).toEqual([Array.from({ length: 128 }, () => -0.5)]);
  }, 60_000);

  it("are made several times for each item, and told as pass@k and pass^k [50:9.8]", async () => {
    await using server = await startModelServer();
    let asked = 0;
    server.otherwise(() => says(asked++ % 2 === 0 ? "right" : "wrong"));
    const reward = `return result.messages.at(-1).content === "right" ? 1 : 0;`;
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl),
      files: { "own.mjs": environment(["one", "two"], reward) },
    });
    const ran = await stage.run([...evaluate, "--env.attempts", "4", "--env.max_eval_workers", "1"]);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(samples(stage).map((one) => `${one["task_name"]} ${one["attempt"]}`)).toEqual(
      ["one", "two"].flatMap((name) => [0, 1, 2, 3].map((attempt) => `${name} ${attempt}`)),
    );
    expect(metrics(stage)).toMatchObject({ "eval/pass@1": 0.5, "eval/pass@4": 1, "eval/pass^4": 0 });
  }, 60_000);
});
