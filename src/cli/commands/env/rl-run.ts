import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { absolutePath, type LoadedConfig, loadConfig } from "#config";
import { type PartCommand, superviseRun, trainingRecords } from "#environments";
import { isRecord } from "#foundation/text/json";
import { systemClock } from "#foundation/time/clock";
import { blockedVariables, childEnvironment } from "#tools";
import { exitCodes, type Invocation } from "../../command.ts";
import { argument } from "../../invocation.ts";
import { homeOf } from "../../support/home.ts";
import { usageError } from "../../usage-error.ts";

/** Starts the three programs of a training run and stays with them until the end. */
export async function rlRun(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const home = homeOf(invocation);
  const loaded = await loadConfig({ home, env: io.env, cwd: io.cwd });
  const records = trainingRecords({ home });
  const id = argument(invocation, 0);
  const run = await records.read(id);
  if (run === undefined) throw usageError(`There is no run ${id}.`, "A run is started by the tool rl_start_training.");
  const { root } = loaded.config.rl;
  const own = (...args: readonly string[]): PartCommand => ({
    command: process.execPath,
    args: [process.argv[1] ?? "hermes", ...args],
    cwd: run.cwd,
    env: io.env,
  });
  const foreign = (line: string): PartCommand => ({
    command: "/bin/sh",
    args: ["-c", line],
    cwd: root.trim() === "" ? run.cwd : absolutePath(root, home.root, homedir()),
    env: trainerEnvironment(loaded, run.config_path),
  });
  const { trainer_command: trainer, api_command: api } = loaded.config.rl;
  const address = new URL(run.api_url);
  const ended = await superviseRun(
    { ...run, supervisor: process.pid },
    {
      records,
      clock: systemClock,
      healthUrl: await healthUrl(run.config_path),
      parts: {
        api: api.trim() === "" ? own("rl-api", "--port", address.port || "80") : foreign(api),
        trainer: foreign(trainer.trim() === "" ? 'python launch_training.py --config "$HERMES_RL_CONFIG"' : trainer),
        env: own("env", run.environment, "serve", "--fields", run.config_path),
      },
    },
    io.signal,
  );
  return ended.status === "failed" ? exitCodes.failed : exitCodes.ok;
}

/** A trainer gets the keys of the training and no others. */
function trainerEnvironment(loaded: LoadedConfig, configPath: string): Readonly<Record<string, string>> {
  const { variables } = loaded.environment;
  const keys = ["TINKER_API_KEY", "WANDB_API_KEY"].flatMap((name) => {
    const value = variables[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return childEnvironment(variables, {
    policy: "inherit",
    blocked: blockedVariables(loaded),
    extra: { ...Object.fromEntries(keys), HERMES_RL_CONFIG: configPath },
  });
}

/** The model server of the trainer, where exact tokens are wanted; a chat service is not waited for. */
async function healthUrl(file: string): Promise<string | undefined> {
  const { parse } = await import("yaml");
  const value: unknown = parse(await readFile(file, "utf8"));
  const servers: readonly unknown[] = isRecord(value) && Array.isArray(value["openai"]) ? value["openai"] : [];
  const [first] = servers.filter(isRecord);
  if (first === undefined || first["server_type"] === "openai") return undefined;
  return `${String(first["base_url"]).replace(/\/+$/, "").replace(/\/v1$/, "")}/health`;
}
