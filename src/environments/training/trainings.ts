import { spawn } from "node:child_process";
import path from "node:path";
import { absolutePath, type Machine } from "#config";
import { defined } from "#foundation/defined";
import { describe } from "#foundation/errors";
import { isAlive } from "#foundation/process/alive";
import type { Clock } from "#foundation/time/clock";
import { type FieldFacts, fieldsOf, readField } from "../env/config.ts";
import type { Environment } from "../env/environment.ts";
import { environments } from "../suite/index.ts";
import { testInference } from "./inference-test.ts";
import { readProfile, type TrainingProfile } from "./profile.ts";
import { type Selection, writeRun } from "./run-files.ts";
import { isOver, type RunRecord, RunRecords } from "./run-record.ts";
import { answers } from "./supervise.ts";

/** Who makes a call: what was chosen belongs to the session. */
interface StepCall {
  readonly sessionKey: string;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

type Args = Readonly<Record<string, unknown>>;
type Answer = Readonly<Record<string, unknown>>;

interface Chosen extends Selection {
  readonly definition: Environment;
}

const checkEveryMs = 30 * 60_000;

/** Answers the `rl_…` tools. Runs are processes of their own, which stay when this one ends. */
export class Trainings {
  readonly #machine: Machine;
  /** How this program is started. */
  readonly #program: readonly string[];
  readonly #clock: Clock;
  readonly #records: RunRecords;
  readonly #chosen = new Map<string, Chosen>();
  readonly #checkedAtMs = new Map<string, number>();

  constructor(machine: Machine, program: readonly string[]) {
    this.#machine = machine;
    this.#program = program;
    this.#clock = machine.clock;
    this.#records = trainingRecords(machine);
  }

  async answer(tool: string, args: Args, call: StepCall): Promise<Answer> {
    try {
      const step = this.#steps[tool];
      return step === undefined ? { error: `There is no step ${tool}.` } : await step(args, call);
    } catch (error) {
      call.signal.throwIfAborted();
      return { error: describe(error) };
    }
  }

  readonly #steps: Readonly<Record<string, (args: Args, call: StepCall) => Promise<Answer>>> = {
    rl_list_environments: () => this.#listEnvironments(),
    rl_select_environment: ({ name }, call) => this.#select(String(name), call),
    rl_get_current_config: (_, call) => this.#showConfig(call),
    rl_edit_config: ({ field, value }, call) => this.#edit(String(field), value, call),
    rl_test_inference: (args, call) => this.#test(args, call),
    rl_start_training: (_, call) => this.#start(call),
    rl_check_status: ({ run_id }, { signal }) => this.#status(String(run_id), signal),
    rl_stop_training: ({ run_id }) => this.#stop(String(run_id)),
    rl_get_results: ({ run_id }, { signal }) => this.#results(String(run_id), signal),
    rl_list_runs: () => this.#listRuns(),
  };

  #listEnvironments(): Promise<Answer> {
    return Promise.resolve({
      environments: environments.map(({ name, about }) => ({
        name,
        class_name: name,
        file_path: `hermes env ${name}`,
        description: about,
      })),
      count: environments.length,
      tips: ["Choose one with rl_select_environment.", "Look at its fields with rl_get_current_config."],
    });
  }

  #select(name: string, { sessionKey }: StepCall): Promise<Answer> {
    const definition = environments.find((one) => one.name === name);
    if (definition === undefined)
      return Promise.resolve({
        error: `There is no environment ${name}.`,
        available: environments.map((one) => one.name),
      });
    const values = { wandb_name: `${name}-${stampOf(new Date(this.#clock.now()))}` };
    this.#chosen.set(sessionKey, { name, definition, values });
    return Promise.resolve({
      message: `${name} is selected.`,
      environment: name,
      file_path: `hermes env ${name}`,
    });
  }

  async #showConfig(call: StepCall): Promise<Answer> {
    const chosen = this.#chosen.get(call.sessionKey);
    if (chosen === undefined) return selectFirst;
    const profile = await this.#profile();
    const fields = fieldsOf(chosen.definition.config);
    const shown = ({ name, ...facts }: FieldFacts): Answer => ({
      name,
      ...facts,
      current_value: name in chosen.values ? chosen.values[name] : facts.default,
      ...(name in profile.env ? { current_value: profile.env[name], locked_value: profile.env[name] } : {}),
    });
    return {
      environment: chosen.name,
      configurable_fields: fields.filter(({ name }) => !(name in profile.env)).map(shown),
      locked_fields: fields.filter(({ name }) => name in profile.env).map(shown),
      tip: "Set a field with rl_edit_config; try it with rl_test_inference before training.",
    };
  }

  async #edit(field: string, value: unknown, call: StepCall): Promise<Answer> {
    const chosen = this.#chosen.get(call.sessionKey);
    if (chosen === undefined) return selectFirst;
    const profile = await this.#profile();
    if (field in profile.env)
      return { error: `${field} is locked: the trainer is set up for its value.`, locked_value: profile.env[field] };
    const open = fieldsOf(chosen.definition.config).filter(({ name }) => !(name in profile.env));
    if (!open.some(({ name }) => name === field))
      return { error: `There is no field ${field}.`, available_fields: open.map(({ name }) => name) };
    const checked = readField(chosen.definition.config, field, value);
    const values = { ...chosen.values, [field]: checked };
    this.#chosen.set(call.sessionKey, { ...chosen, values });
    return { message: `${field} is set.`, field, value: checked, config: values };
  }

  async #test(args: Args, { sessionKey, cwd, signal }: StepCall): Promise<Answer> {
    const chosen = this.#chosen.get(sessionKey);
    if (chosen === undefined) return selectFirst;
    const { loaded, env } = this.#machine;
    const plan = {
      selection: chosen,
      profile: await this.#profile(),
      program: this.#program,
      url: loaded.config.rl.inference_url,
      env,
      cwd,
      folder: path.join(this.#records.folder, "inference_tests"),
    };
    return await testInference(plan, args, signal);
  }

  async #start({ sessionKey, cwd }: StepCall): Promise<Answer> {
    const chosen = this.#chosen.get(sessionKey);
    if (chosen === undefined) return selectFirst;
    const nowMs = this.#clock.now();
    const run = await writeRun(this.#records, { selection: chosen, profile: await this.#profile(), cwd, nowMs });
    const [command = process.execPath, ...args] = this.#program;
    const child = spawn(command, [...args, "rl-run", run.run_id], {
      cwd,
      env: { ...this.#machine.env, HERMES_HOME: this.#machine.home.root },
      detached: true,
      stdio: "ignore",
    });
    child.unref();
    const { run_id, status, config_path, logs, wandb_project, wandb_run_name } = run;
    return {
      ...{ run_id, status, environment: chosen.name, config: chosen.values, wandb_project, wandb_run_name },
      ...{ config_path, logs },
      message: "The run is being started; it needs a few minutes. Look again in half an hour with rl_check_status.",
    };
  }

  async #status(id: string, signal: AbortSignal): Promise<Answer> {
    const run = await this.#read(id);
    if (run === undefined) return notFound(id);
    const checkedAtMs = this.#checkedAtMs.get(id) ?? Number.NEGATIVE_INFINITY;
    const leftMs = checkedAtMs + checkEveryMs - this.#clock.now();
    if (leftMs > 0)
      return {
        rate_limited: true,
        run_id: id,
        message: "It was looked at less than 30 minutes ago; training is slow.",
        next_check_in_seconds: Math.ceil(leftMs / 1000),
      };
    this.#checkedAtMs.set(id, this.#clock.now());
    return await this.#facts(run, signal);
  }

  async #results(id: string, signal: AbortSignal): Promise<Answer> {
    const run = await this.#read(id);
    return run === undefined ? notFound(id) : await this.#facts(run, signal);
  }

  async #facts(run: RunRecord, signal: AbortSignal): Promise<Answer> {
    const { run_id, status, environment, processes, wandb_project, wandb_run_name, logs, error } = run;
    const until = run.ended_at ?? this.#clock.now();
    const told = isOver(run) ? undefined : await answers(`${run.api_url}/status`, signal);
    const step = told?.["current_step"];
    return {
      ...{ run_id, status, environment },
      running_time_minutes: Math.round((until - run.started_at) / 6_000) / 10,
      ...{ processes, wandb_project, wandb_run_name, logs },
      ...defined({ error }),
      ...(typeof step === "number" ? { metrics: { step } } : {}),
    };
  }

  async #stop(id: string): Promise<Answer> {
    const run = await this.#read(id);
    if (run === undefined) return notFound(id);
    if (isOver(run) || run.supervisor === undefined) return { message: `${id} is not running.` };
    process.kill(run.supervisor, "SIGTERM");
    return { message: `${id} is being stopped.`, run_id: id, status: "stopping" };
  }

  async #listRuns(): Promise<Answer> {
    const runs = await Promise.all((await this.#records.list()).map((run) => this.#checked(run)));
    return {
      runs: runs.map(({ run_id, environment, status, wandb_run_name }) => ({
        ...{ run_id, environment, status, wandb_run_name },
      })),
      count: runs.length,
    };
  }

  async #read(id: string): Promise<RunRecord | undefined> {
    const run = await this.#records.read(id);
    return run === undefined ? undefined : await this.#checked(run);
  }

  /** A run whose supervisor was killed cannot say so itself. */
  async #checked(run: RunRecord): Promise<RunRecord> {
    if (isOver(run) || run.supervisor === undefined || isAlive(run.supervisor)) return run;
    const gone: RunRecord = { ...run, status: "failed", error: "The process that watched over it was killed." };
    await this.#records.write(gone);
    return gone;
  }

  #profile(): Promise<TrainingProfile> {
    const { loaded, home, userHome } = this.#machine;
    const file = loaded.config.rl.profile.trim();
    return readProfile(file === "" ? undefined : absolutePath(file, home.root, userHome));
  }
}

export function trainingRecords({ home }: Pick<Machine, "home">): RunRecords {
  return new RunRecords(home.at("logs", "rl_training"));
}

const selectFirst = { error: "No environment is selected; do that first, with rl_select_environment." } as const;

function notFound(id: string): Answer {
  return { error: `Run ${id} was not found; rl_list_runs shows those there are.` };
}

function stampOf(time: Date): string {
  return time.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
}
