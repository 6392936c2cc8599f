import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { freePort } from "../fakes/free-port.ts";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";

type Fields = Record<string, unknown>;
type Step = (before: readonly Fields[]) => readonly [tool: string, args: Fields];

/** A program of a training: it notes its end, and ends only when it is told to. */
const patient = `import { appendFileSync } from "node:fs";
const [, , name] = process.argv;
process.on("SIGTERM", () => { appendFileSync("ends.txt", name + "\\n"); process.exit(0); });
setInterval(() => undefined, 1000);
`;

/** A model that takes these steps, one in each reply; what the tools answered is kept. */
async function startStepper() {
  const server = await startModelServer();
  const answers: Fields[] = [];
  let steps: readonly Step[] = [];
  server.onRequest(({ messages }) => {
    const last = messages.at(-1);
    if (last?.["role"] === "tool") answers.push(JSON.parse(String(last["content"])) as Fields);
    const next = steps[answers.length];
    if (next === undefined) return says("Done.");
    const [tool, args] = next(answers);
    return calls(tool, args);
  });
  return Object.assign(server, {
    answers,
    plan(...wanted: readonly Step[]): void {
      answers.length = 0;
      steps = wanted;
    },
  });
}

const step =
  (tool: string, args: Fields = {}): Step =>
  () => [tool, args];
const ofRun =
  (tool: string): Step =>
  (before) => [tool, { run_id: before.find(({ run_id }) => typeof run_id === "string")?.["run_id"] }];

function settings(url: string, commands: { readonly api?: string; readonly trainer?: string }): string {
  const { api = "", trainer = "node patient.mjs trainer" } = commands;
  return modelConfig(
    url,
    `rl:\n  trainer_command: ${trainer}\n  api_command: ${api}\n  profile: profile.yaml\n  inference_url: ${url}\n`,
  );
}

async function openStage(url: string, commands: { readonly api?: string; readonly trainer?: string } = {}) {
  const stage = await Stage.open({ config: settings(url, commands), files: { "patient.mjs": patient } });
  const env = `total_steps: 2500, max_token_length: 8192, rollout_server_url: "http://127.0.0.1:${await freePort()}"`;
  const { writeFile } = await import("node:fs/promises");
  const profile = `env: { ${env} }\nopenai: [{ server_type: openai }]\ntinker: { learning_rate: 4e-5 }\n`;
  await writeFile(path.join(stage.home, "profile.yaml"), profile);
  return stage;
}

function records(stage: Stage): readonly Fields[] {
  const folder = path.join(stage.home, "logs", "rl_training");
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^run_\w+\.json$/.test(name)) : [];
  return names.map((name) => JSON.parse(readFileSync(path.join(folder, name), "utf8")) as Fields);
}

async function recordWith(stage: Stage, ...statuses: readonly string[]): Promise<Fields> {
  return await vi.waitFor(
    () => {
      const found = records(stage).find(({ status }) => statuses.includes(String(status)));
      if (found === undefined) throw new Error(`no run is ${statuses.join(" or ")}: ${JSON.stringify(records(stage))}`);
      return found;
    },
    { timeout: 90_000, interval: 100 },
  );
}

describe("training runs", () => {
  it("are set up, started, looked at and stopped by a conversation, and outlive it [50:8.1] [50:8.2] [50:8.3] [50:8.4.2] [50:8.4.3] [50:8.4.4] [50:8.4.6] [50:8.4.8] [30:3.23]", async () => {
    await using server = await startStepper();
    await using stage = await openStage(server.chatBaseUrl, { api: "node patient.mjs api" });
    server.plan(
      step("rl_get_current_config"),
      step("rl_list_environments"),
      step("rl_select_environment", { name: "nope" }),
      step("rl_select_environment", { name: "terminal-test" }),
      step("rl_edit_config", { field: "group_size", value: 8 }),
      step("rl_edit_config", { field: "total_steps", value: 10 }),
      step("rl_edit_config", { field: "group_size", value: "many" }),
      step("rl_get_current_config"),
      step("rl_start_training"),
      ofRun("rl_check_status"),
      ofRun("rl_check_status"),
      step("rl_check_status", { run_id: "0badc0de" }),
      step("rl_check_status", { run_id: "0badc0de" }),
    );
    await stage.ask("train", "-t", "rl", "--yolo");
    const [early, list, unknown, , edited, locked, wrong, shown, started, status, again, ...missing] = server.answers;
    expect(early?.["error"]).toContain("rl_select_environment");
    expect(list?.["environments"]).toContainEqual(expect.objectContaining({ name: "terminal-test" }));
    expect(unknown).toMatchObject({ error: expect.any(String), available: expect.arrayContaining(["terminal-test"]) });
    expect(edited).toMatchObject({ field: "group_size", value: 8 });
    expect(locked).toMatchObject({ error: expect.any(String), locked_value: 2500 });
    expect(wrong).toMatchObject({ error: expect.stringContaining("group_size") });
    const field = (name: string, more: Fields): unknown => expect.objectContaining({ name, ...more });
    expect(shown?.["configurable_fields"]).toContainEqual(field("group_size", { current_value: 8, default: 3 }));
    expect(shown?.["locked_fields"]).toContainEqual(field("total_steps", { locked_value: 2500 }));
    expect(started).toMatchObject({ status: "starting", environment: "terminal-test" });
    expect(status).toMatchObject({ run_id: started?.["run_id"] });
    expect(again).toMatchObject({ rate_limited: true });
    expect(again?.["next_check_in_seconds"]).toBeLessThanOrEqual(1800);
    for (const answer of missing) expect(answer["error"]).toContain("not found");
    const written = parse(readFileSync(String(started?.["config_path"]), "utf8")) as Record<string, Fields>;
    expect(written["tinker"]).toMatchObject({ learning_rate: 4e-5, wandb_project: "atropos-tinker" });
    expect(written["env"]).toMatchObject({ group_size: 8, total_steps: 2500 });

    // The conversation is over; the run goes on, and another conversation finds and stops it.
    await recordWith(stage, "running");
    server.plan(step("rl_list_runs"), step("rl_stop_training", { run_id: started?.["run_id"] }));
    await stage.ask("stop it", "-t", "rl", "--yolo");
    expect(server.answers[0]).toMatchObject({ count: 1, runs: [{ run_id: started?.["run_id"], status: "running" }] });
    const stopped = await recordWith(stage, "stopped", "failed");
    expect(stopped).toMatchObject({ status: "stopped", processes: { env: expect.stringContaining("exited") } });
    expect(readFileSync(path.join(stage.work, "ends.txt"), "utf8")).toBe("trainer\napi\n");
  }, 180_000);

  it("fail with the code and the log when one of their programs ends early, and leave none behind [50:8.4.5]", async () => {
    await using server = await startStepper();
    await using stage = await openStage(server.chatBaseUrl, { api: "exit 3" });
    server.plan(step("rl_select_environment", { name: "terminal-test" }), step("rl_start_training"));
    await stage.ask("train", "-t", "rl", "--yolo");
    const failed = await recordWith(stage, "failed");
    expect(failed["error"]).toMatch(/api ended early with 3; see .*api_[0-9a-f]{8}\.log/);
    expect(failed["processes"]).toEqual({ api: "exited (3)" });
  }, 120_000);

  it("are offered only with a trainer, and started only when somebody agreed [50:8.4.1]", async () => {
    await using server = await startStepper();
    await using stage = await openStage(server.chatBaseUrl);
    server.plan(step("rl_select_environment", { name: "terminal-test" }), step("rl_start_training"));
    await stage.ask("train", "-t", "rl");
    expect(server.answers[1]).toMatchObject({ status: "blocked" });
    expect(records(stage)).toEqual([]);
    await stage.configure(modelConfig(server.chatBaseUrl));
    const before = server.requests.length;
    server.plan();
    await stage.ask("train", "-t", "rl,file");
    const offered = JSON.stringify(server.requests.slice(before).map(({ body }) => body));
    expect(offered).toContain("read_file");
    expect(offered).not.toContain("rl_start_training");
  }, 120_000);

  it("are tried with a few models first [50:8.4.7]", async () => {
    await using server = await startModelServer();
    const answers: Fields[] = [];
    const wanted: readonly (readonly [string, Fields])[] = [
      ["rl_select_environment", { name: "terminal-test" }],
      ["rl_test_inference", { num_steps: 2, group_size: 2, models: ["small/one"] }],
    ];
    server.onRequest(({ messages, model }) => {
      const last = messages.at(-1);
      if (model === "small/one")
        return last?.["role"] === "user" && String(last["content"]).includes("greeting.txt")
          ? calls("terminal", { command: "printf 'Hello from Hermes Agent' > ~/greeting.txt" })
          : says("Done.");
      if (last?.["role"] === "tool") answers.push(JSON.parse(String(last["content"])) as Fields);
      const next = wanted[answers.length];
      return next === undefined ? says("Done.") : calls(...next);
    });
    await using stage = await openStage(server.chatBaseUrl);
    await stage.ask("try it", "-t", "rl", "--yolo");
    const [, tested] = answers;
    expect(tested?.["models"]).toMatchObject([
      { model: "small/one", total_completions: 4, correct_completions: 2, accuracy: 0.5, step_success_rate: 0.5 },
    ]);
    expect(tested?.["summary"]).toMatchObject({
      models_succeeded: 1,
      environment_working: true,
      best_model: "small/one",
    });
  }, 180_000);
});
