import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openTokenizer } from "../../src/environments/tokens/tokenizer.ts";
import { writeByteTokenizer } from "../fakes/byte-tokenizer.ts";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { openTokenServer } from "../fakes/token-server.ts";
import { tokenWires } from "../fakes/token-wires.ts";
import { modelConfig, Stage } from "./support/stage.ts";

type Line = Record<string, unknown>;

const lines = (text: string): Line[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);

/** A field of a group, of its first rollout. */
function at0(group: Line | undefined, field: string): unknown {
  const list = group?.[field];
  if (!Array.isArray(list)) throw new Error(`the group has no ${field}`);
  return list[0] as unknown;
}

/** The lines and the metrics of the one evaluation in a folder. */
function evaluation(stage: Stage, folder = "evals"): { readonly samples: Line[]; readonly metrics: Line } {
  const at = path.join(stage.work, folder);
  const name = readdirSync(at).find((one) => one.startsWith("samples_")) ?? "";
  const { results } = JSON.parse(readFileSync(path.join(at, "metrics.json"), "utf8")) as { results: { all: Line } };
  return { samples: lines(readFileSync(path.join(at, name), "utf8")), metrics: results.all };
}

/** A simulation with the commands, the variables and the database of the real one; `hard` goes bankrupt. */
const simulation = `#!/usr/bin/env python3
import os, sqlite3, sys
args = sys.argv[1:]
if args == ["--help"]: sys.exit(0)
db = sqlite3.connect(os.environ["DATABASE_URL"].removeprefix("sqlite:///"))
if args[:2] == ["sim", "init"]:
    facts = dict(zip(args[2::2], args[3::2]))
    db.execute("CREATE TABLE companies (name TEXT, seed INT, years TEXT, started TEXT, funds_cents INT)")
    db.execute("CREATE TABLE sim_events (event_type TEXT, scheduled_at TEXT)")
    db.execute("INSERT INTO companies VALUES (?, ?, ?, ?, 25000000)",
        (facts["--company-name"], facts["--seed"], facts["--horizon-years"], facts["--start-date"]))
elif args[:2] == ["sim", "resume"]:
    is_hard = os.environ["YC_BENCH_EXPERIMENT"] == "hard"
    db.execute("UPDATE companies SET funds_cents = ?", (-1 if is_hard else 250000000,))
    db.execute("INSERT INTO sim_events VALUES ('task_done', '2025-03-01'), (?, '2025-02-01')",
        ("bankruptcy" if is_hard else "horizon_end",))
else:
    print(db.execute("SELECT name, seed, years, started FROM companies").fetchone())
db.commit()
`;

describe("yc-bench", () => {
  it("leads companies one after the other, in databases of their own, scored by survival and funds [50:7.5] [50:7.8.10]", async () => {
    await using server = await startModelServer();
    server.onRequest(({ messages }) => {
      const results = messages.filter(({ role }) => role === "tool").length;
      if (results > 1) return says("It has ended.");
      return calls("terminal", { command: results === 0 ? "yc-bench company status" : "yc-bench sim resume" });
    });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    const programs = path.join(stage.folder, "programs");
    await mkdir(programs);
    await writeFile(path.join(programs, "yc-bench"), simulation);
    await chmod(path.join(programs, "yc-bench"), 0o755);
    const env = { PATH: `${programs}:${process.env["PATH"]}`, DATABASE_URL: "sqlite:////nowhere/of-the-person.db" };
    const databases = path.join(stage.work, "dbs");
    const fields = [
      "--env.db_dir",
      databases,
      "--env.data_dir_to_save_evals",
      "evals",
      "--env.company_name",
      "Bench's",
    ];
    const command = ["env", "yc-bench", "evaluate", ...fields];

    // It runs commands of a model here, so somebody has to agree.
    expect(await stage.run(command, { env })).toMatchObject({ code: 2 });
    const missing = await stage.run([...command, "--allow-local-exec"]);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("pip install yc-bench") });

    const ran = await stage.run([...command, "--allow-local-exec"], { env });
    expect(ran).toMatchObject({ code: 0 });
    const { samples, metrics } = evaluation(stage);
    expect(samples.map(({ preset, seed }) => `${preset} ${seed}`)).toEqual(
      ["fast_test", "medium", "hard"].flatMap((preset) => [1, 2, 3].map((seed) => `${preset} ${seed}`)),
    );
    expect(samples[0]).toMatchObject({
      ...{ survived: true, final_funds_cents: 250_000_000, final_funds_usd: 2_500_000, terminal_reason: "horizon_end" },
      ...{ turns_used: 3, finished_naturally: true, db_path: expect.stringContaining("yc_bench_fast_test_seed1_") },
    });
    expect(samples[0]?.["composite_score"]).toBeCloseTo(0.7598, 4);
    expect(samples[8]).toMatchObject({ survived: false, composite_score: 0, terminal_reason: "bankruptcy" });
    expect(JSON.stringify(samples[1])).toMatch(/Bench's\\+", 2, '1', '01\/01\/2025'/);
    expect(new Set(samples.map((one) => one["db_path"])).size).toBe(9);
    expect(metrics).toMatchObject({
      ...{
        "eval/total_runs": 9,
        "eval/survived_runs": 6,
        "eval/survival_rate_hard": 0,
        "eval/survival_rate_medium": 1,
      },
    });
    expect(ran.stdout + ran.stderr).toMatch(/\[SURVIVED\] fast_test 1[\s\S]*\[BANKRUPT\] hard 3/);
    expect(server.requests[0]?.systemText).toContain("250,000 USD");
  }, 180_000);
});

describe("agentic-opd", () => {
  it.each(tokenWires)(
    "rewards tests, turns and tools, and gives the trainer what the model would have written with a hint, by $type [50:7.7] [50:5.7]",
    async (wire) => {
      await using stage = await Stage.open();
      await writeByteTokenizer(path.join(stage.work, "tokenizer"));
      const tokenizer = await openTokenizer(path.join(stage.work, "tokenizer"), { cwd: stage.work, env: {} });
      const ids = (text: string): readonly number[] => tokenizer.encode(text, { hasSpecialTokens: false });
      const code = "def double(x):\n    return x * 2\n";
      const write = JSON.stringify({ name: "write_file", arguments: { path: "solution.py", content: code } });
      const run = JSON.stringify({ name: "terminal", arguments: { command: "python3 -c 'import solution'" } });
      const words = "I write it now, ü.";
      const replies = [
        `${words}<tool_call>\n${write}\n</tool_call><|im_end|>`,
        `<tool_call>\n${run}\n</tool_call><|im_end|>`,
        "Done.<|im_end|>",
      ];
      const scored: { readonly prompt: string; readonly k: unknown }[] = [];
      await using tokens = await openTokenServer((body) => {
        const { input, k } = wire.read(body);
        const text = tokenizer.decode(input);
        if (k !== undefined) {
          scored.push({ prompt: text, k });
          // The token itself and a better one.
          return wire.scored(input, (id) => [
            [id, -2],
            [id + 1, -1],
          ]);
        }
        const reply = replies[text.split("<tool_call>").length - 1] ?? "Done.<|im_end|>";
        return wire.sampled(input, { text: reply, ids: ids(reply) });
      });
      let asked = 0;
      const votes = [
        "\\boxed{-1}",
        "\\boxed{1}[HINT_START]short[HINT_END]",
        "\\boxed{1} [HINT_START]use a set instead[HINT_END]",
      ];
      tokens.onChat(() => votes[asked++ % 3] ?? "");
      const rows = [1, 2].map((n) =>
        JSON.stringify({
          task: `Write double(x). ${n}`,
          test_code: "from solution import double\nassert double(2) == 4\nprint('passed')\n",
        }),
      );
      await writeFile(path.join(stage.work, "tasks.jsonl"), `${rows.join("\n")}\n`);
      const fields = ["--env.dataset_name", "tasks.jsonl", "--env.group_size", "1", "--env.total_steps", "1"];
      const more = ["--env.eval_size", "1", "--env.distill_topk", "3", "--env.tokenizer_name", "tokenizer"];
      const local = ["--env.terminal_backend", "local", "--allow-local-exec"];
      const at = [
        "--openai.server_type",
        wire.type,
        "--openai.base_url",
        `${tokens.url}/v1`,
        "--openai.model_name",
        "m",
      ];
      const command = ["env", "agentic-opd", "process", ...fields, ...more, ...local];
      const plain = await stage.run([...command, "--openai.base_url", `${tokens.url}/v1`, "--openai.model_name", "m"]);
      expect(plain).toMatchObject({ code: 2, stderr: expect.stringContaining("scores prompts") });

      const ran = await stage.run([...command, ...at]);
      expect(ran, ran.stderr).toMatchObject({ code: 0 });
      const [group] = lines(await stage.read("data/agentic-opd.jsonl"));
      expect(at0(group, "scores")).toBeCloseTo(1);
      expect(asked).toBe(3);
      expect(scored).toEqual([{ prompt: expect.stringContaining("## Hint\nuse a set instead"), k: 3 }]);
      expect(scored[0]?.prompt.endsWith(words)).toBe(true);

      const sequence = at0(group, "tokens") as number[];
      const topIds = at0(group, "distill_token_ids") as number[][];
      const topLogprobs = at0(group, "distill_logprobs") as number[][];
      expect([topIds.length, topLogprobs.length]).toEqual([sequence.length, sequence.length]);
      const wanted = ids(words);
      const found = topIds.flatMap((one, position) => (one.some((id) => id !== 0) ? [position] : []));
      expect(found).toHaveLength(wanted.length);
      expect(found.map((position) => sequence[position])).toEqual(wanted);
      expect(topIds[found[0] ?? 0]).toEqual([(wanted[0] ?? 0) + 1, wanted[0], 0]);
      expect(topLogprobs[found[0] ?? 0]).toEqual([-1, -2, 0]);
      expect(topIds[0]).toEqual([0, 0, 0]);
      expect(lines(await stage.read("data/metrics_stream.jsonl"))[0]).toMatchObject({
        ...{ step: 1, "opd/total_hints": 1, "opd/total_scored_turns": 1, "opd/hint_rate": 1, "train/pass_rate": 1 },
      });
    },
    120_000,
  );
});

describe("hermes-swe", () => {
  it("is rewarded by its tests, quotes and all; an attempt that left a file is worth a tenth [50:7.2] [50:7.8.13]", async () => {
    await using server = await startModelServer();
    server.onRequest(({ messages }) => {
      if (messages.at(-1)?.["role"] !== "user") return says("Done.");
      const text = String(messages.at(-1)?.["content"]);
      const body = text.includes("task 3") ? "" : `echo 'word = "it\\"s"' > solution.py`;
      return calls("terminal", { command: body === "" ? "true" : body });
    });
    const test = `from solution import word\nassert word == "it\\"s", f"no: {word}"\n`;
    const rows = [
      { prompt: "task 1", test },
      { prompt: "task 2", tests: `${test}assert False, "never"\n` },
      { prompt: "task 3", test_code: test },
      { prompt: "task 4" },
    ];
    // A tenth is held out for evaluations.
    const all = rows.flatMap((row) => Array.from({ length: 1 }, () => JSON.stringify(row)));
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl),
      files: { "tasks.jsonl": `${all.join("\n")}\n` },
    });
    const local = ["--env.terminal_backend", "local", "--allow-local-exec"];
    const fields = ["--env.dataset_name", "tasks.jsonl", "--env.group_size", "1", "--env.total_steps", "4"];
    const ran = await stage.run([
      ...["env", "hermes-swe", "process", ...fields, ...local, "--env.workspace", "."],
      ...["--env.ensure_scores_are_not_same", "false"],
    ]);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(lines(await stage.read("data/hermes-swe.jsonl")).map(({ scores }) => scores)).toEqual([
      [1],
      [0.1],
      [0],
      [0],
    ]);
    expect(server.requests[0]?.messages.at(-1)?.["content"]).toContain(
      `task 1\n\nThese tests have to pass:\n${test.trim()}`,
    );
    expect(lines(await stage.read("data/metrics_stream.jsonl")).at(-1)).toMatchObject({ "train/pass_rate": 0.25 });
  }, 120_000);
});

describe("datasets", () => {
  it("are filtered, shuffled by a number and cut, in whatever format the rows are [50:9.6]", async () => {
    await using server = await startModelServer();
    server.otherwise(says("Done."));
    const rows = Array.from({ length: 12 }, (_, n) => ({ prompt: `task ${n}`, level: n % 2 === 0 ? "easy" : "hard" }));
    const csv = ["prompt,level", ...rows.map(({ prompt, level }) => `${prompt},${level}`)].join("\n");
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl),
      files: {
        "tasks.jsonl": rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
        "tasks.json": JSON.stringify(rows),
        "tasks.csv": csv,
        "shards/train-00000-of-00002.jsonl": rows
          .slice(0, 7)
          .map((row) => `${JSON.stringify(row)}\n`)
          .join(""),
        "shards/train-00001-of-00002.jsonl": rows
          .slice(7)
          .map((row) => `${JSON.stringify(row)}\n`)
          .join(""),
      },
    });
    const asked = async (dataset: string, fields: readonly string[]): Promise<unknown[]> => {
      const before = server.requests.length;
      const ran = await stage.run([
        ...["env", "hermes-swe", "process", "--env.terminal_backend", "local", "--allow-local-exec"],
        ...["--env.dataset_name", dataset, "--env.dataset_split", "train", "--env.group_size", "1"],
        ...["--env.workspace", ".", "--env.total_steps", "3", ...fields],
      ]);
      expect(ran, ran.stderr).toMatchObject({ code: 0 });
      return server.requests.slice(before).map(({ messages }) => messages.at(-1)?.["content"]);
    };
    const hard = ["--env.dataset_filter", "level=hard", "--env.dataset_offset", "1", "--env.dataset_limit", "3"];
    for (const dataset of ["tasks.jsonl", "tasks.json", "tasks.csv", "shards"])
      expect(await asked(dataset, hard)).toEqual(["task 3", "task 5", "task 7"]);
    const mixed = await asked("tasks.jsonl", ["--env.dataset_shuffle", "7"]);
    expect(await asked("tasks.csv", ["--env.dataset_shuffle", "7"])).toEqual(mixed);
    expect(await asked("tasks.jsonl", ["--env.dataset_shuffle", "8"])).not.toEqual(mixed);
    const wrong = ["env", "hermes-swe", "process", "--env.dataset_name", "tasks.jsonl", "--env.dataset_filter", "hard"];
    expect(await stage.run([...wrong, "--env.terminal_backend", "local", "--allow-local-exec"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("difficulty=hard"),
    });
  }, 120_000);
});

describe("terminal-bench-2", () => {
  const toml = (category: string): string =>
    `[metadata]\ncategory = "${category}"\ndifficulty = "easy"\n[verifier]\ntimeout_sec = 30\n`;
  const task = (name: string, test: string, category = "System Admin-Tools"): Record<string, string> => ({
    [`tasks/${name}/task.toml`]: toml(category),
    [`tasks/${name}/instruction.md`]: `Do ${name}.\n`,
    [`tasks/${name}/tests/test.sh`]: `${test}\n`,
  });
  const files = {
    ...task("one", 'echo 1 > "$HERMES_LOGS/reward.txt"; exit 7'),
    ...task("half", 'echo 0.5 > "$HERMES_LOGS/reward.txt"'),
    ...task("silent", "true"),
    ...task("broken", "exit 3", "games"),
    ...task("slow", "true"),
  };
  const local = ["--env.terminal_backend", "local", "--allow-local-exec", "--env.dataset_name", "tb:tasks"];
  const inside = ["--env.tests_folder", "./tests", "--env.logs_folder", "./logs"];
  const saved = ["--env.data_dir_to_save_evals", "evals"];

  it("scores tasks by their own tests, each result on disk at once, a timeout included [50:7.3] [50:7.4] [50:7.8.3] [50:7.8.6] [50:7.8.8]", async () => {
    await using server = await startModelServer();
    server.onRequest(({ messages }) => {
      const asked = String(messages.find(({ role }) => role === "user")?.["content"]);
      if (messages.at(-1)?.["role"] !== "user") return says("Done.");
      return calls("terminal", { command: asked.includes("slow") ? "sleep 300" : "ls tests" });
    });
    for (const name of ["terminal-bench-2", "openthoughts-tblite"]) {
      await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl), files });
      const ran = await stage.run(["env", name, "evaluate", ...local, ...inside, ...saved, "--env.task_timeout", "15"]);
      expect(ran, ran.stderr).toMatchObject({ code: 0 });
      const { samples, metrics } = evaluation(stage);
      const byName = Object.fromEntries(samples.map((one) => [one["task_name"], one]));
      expect(byName["one"]).toMatchObject({ passed: true, reward: 1, category: "System Admin-Tools" });
      expect(byName["half"]).toMatchObject({ passed: false, reward: 0.5 });
      expect(byName["silent"]).toMatchObject({ passed: true, reward: 1 });
      expect(byName["broken"]).toMatchObject({ passed: false, reward: 0 });
      expect(byName["slow"]).toMatchObject({ passed: false, error: "timeout (15s)" });
      // The tests were not there while the model worked.
      expect(JSON.stringify(byName["one"]?.["messages"])).toContain("No such file");
      expect(metrics).toMatchObject({
        ...{ "eval/total_tasks": 5, "eval/passed_tasks": 2, "eval/pass_rate": 0.4, "eval/pass_rate_games": 0 },
        ...{ "eval/pass_rate_system_admin_tools": 0.5, "eval/pass_rate_difficulty_easy": 0.4 },
      });
      expect(ran.stdout + ran.stderr).toMatch(/\[START\] one[\s\S]*\[PASS\] one/);
    }
  }, 240_000);

  it("runs the tasks that were asked for and no others, and goes on where a file ends [50:7.8.5] [50:4.9]", async () => {
    await using server = await startModelServer();
    server.otherwise(says("Done."));
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl), files });
    const filtered = [...local, ...inside, "--env.task_filter", "one, half ,broken", "--env.skip_tasks", "broken"];
    const command = ["env", "terminal-bench-2", "evaluate", ...filtered];
    expect(await stage.run([...command, ...saved])).toMatchObject({ code: 0 });
    expect(
      evaluation(stage)
        .samples.map((one) => one["task_name"])
        .sort(),
    ).toEqual(["half", "one"]);
    const folder = path.join(stage.work, "evals");
    const file = path.join(folder, readdirSync(folder).find((name) => name.startsWith("samples_")) ?? "");
    await writeFile(file, `${readFileSync(file, "utf8").split("\n")[0]}\n{"torn`);
    const again = ["--resume", file, "--env.data_dir_to_save_evals", "again"];
    expect(await stage.run([...command, ...again])).toMatchObject({ code: 0 });
    expect(evaluation(stage, "again").samples).toHaveLength(1);
    expect(existsSync(path.join(stage.work, "tests"))).toBe(false);
  }, 120_000);

  /** A tar.gz in base64, entry by entry; a symlink has a target. */
  const tarball = (entries: readonly { name: string; text?: string; type?: string; target?: string }[]): string => {
    const blocks = entries.flatMap(({ name, text = "", type = "0", target = "" }) => {
      const header = Buffer.alloc(512);
      header.write(name, 0);
      header.write("0000755\0", 100);
      header.write(`${text.length.toString(8).padStart(11, "0")}\0`, 124);
      header.write(type, 156);
      header.write(target, 157);
      header.write("ustar\0", 257);
      const content = Buffer.alloc(Math.ceil(text.length / 512) * 512);
      content.write(text);
      return [header, content];
    });
    return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)])).toString("base64");
  };

  it("takes tasks whose files are archives in a dataset, and refuses those that lead out of their folder [50:7.8.4] [50:7.3]", async () => {
    await using server = await startModelServer();
    server.onRequest(({ messages }) =>
      messages.at(-1)?.["role"] === "user" ? calls("terminal", { command: "ls tests" }) : says("Done."),
    );
    const test_sh = "bash tests/deep/check.sh\n";
    const row = (task_name: string, tests_tar: string, more = {}): string =>
      JSON.stringify({ task_name, tests_tar, instruction: `Do ${task_name}.`, category: "games", test_sh, ...more });
    const check = { name: "./deep/check.sh", text: "echo 0.25 > logs/reward.txt\n" };
    const rows = [
      row("good", tarball([{ name: "./deep/", type: "5" }, check])),
      row("evil", tarball([check, { name: "../hermes-evil-test", text: "x" }])),
      row("absolute", tarball([{ name: "/tmp/hermes-evil-test", text: "x" }])),
      row("backslash", tarball([{ name: "deep\\..\\..\\hermes-evil-test", text: "x" }])),
      row("link", tarball([{ name: "deep", type: "2", target: "/tmp" }])),
      row("untested", tarball([check]), { test_sh: "" }),
    ];
    await using stage = await Stage.open({
      config: modelConfig(server.chatBaseUrl),
      files: { "tasks.jsonl": `${rows.join("\n")}\n` },
    });
    const dataset = ["--env.terminal_backend", "local", "--allow-local-exec", "--env.dataset_name", "tasks.jsonl"];
    const ran = await stage.run(["env", "terminal-bench-2", "evaluate", ...dataset, ...inside, ...saved]);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    const byName = Object.fromEntries(evaluation(stage).samples.map((one) => [one["task_name"], one]));
    expect(byName["good"]).toMatchObject({ reward: 0.25, passed: false, category: "games" });
    expect(JSON.stringify(byName["good"]?.["messages"])).toContain("No such file");
    for (const name of ["evil", "absolute", "backslash", "link"])
      expect(byName[name]).toMatchObject({ reward: 0, error: expect.stringContaining("was refused") });
    expect(byName["untested"]).toMatchObject({ reward: 0 });
    expect(readdirSync(tmpdir()).filter((name) => name === "hermes-evil-test")).toEqual([]);
    expect(readdirSync(tmpdir()).filter((name) => /^hermes-rollout-\d+-task-/.test(name))).toEqual([]);
  }, 120_000);
});
