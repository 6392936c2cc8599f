import path from "node:path";
import {
  configText,
  type EnvironmentRun,
  evaluate,
  findEnvironment,
  isAttemptedGroup,
  isSharedAttempt,
  openEnvironmentRun,
  openGymServer,
  openMetricsSink,
  processGroups,
  readReplayOptions,
  serveEnvironment,
  stamp,
} from "#environments";
import { UserError } from "#foundation/errors";
import { sleep } from "#foundation/lifecycle/abort";
import { plural } from "#foundation/text/figures";
import type { Store } from "#store";
import { exitCodes, type Invocation } from "../../command.ts";
import { argument, flagNumber, flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { openRolloutsFor } from "../../support/rollouts.ts";
import { sharedRun } from "../batch/shared-run.ts";
import { watchCancel } from "./cancel.ts";
import { dottedFlags, environmentFields } from "./fields.ts";
import { openRunView, type RunView } from "./run-view.ts";
import { sharedServe } from "./shared-serve.ts";

/** What a command makes of the usual fields. */
const modes: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  process: { ensure_scores_are_not_same: false, include_messages: true },
};

export async function envRun(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const what = argument(invocation, 1);
  const definition = await findEnvironment(argument(invocation, 0), io.cwd);
  const config = await environmentFields(definition, invocation, modes[what]);
  const replay = readReplayOptions(dottedFlags(invocation), io.cwd);
  if (replay !== undefined && what === "serve")
    throw new UserError("A trainer wants new rollouts: serve records and replays nothing.", { exitCode: 2 });
  const rng =
    flagText(invocation, "rng") === undefined
      ? undefined
      : flagNumber(invocation, "rng", { usual: 0, min: 0, max: Number.MAX_SAFE_INTEGER });
  // With --ui json standard output is for events alone.
  const isEvents = flagText(invocation, "ui") === "json";
  const out = new Output(isEvents ? { ...invocation, io: { ...io, stdout: io.stderr } } : invocation);
  if (hasFlag(invocation, "print-config")) {
    out.document({ ...config, servers: config.servers.map((server) => ({ ...server, api_key: "***" })) });
    out.line((await configText(config)).trimEnd());
    return 0;
  }
  await using rollouts = await openRolloutsFor(invocation, [
    ["checkpoints.enabled", false],
    // What was said stays as it was said: a rollout is trained on.
    ["compression.enabled", false],
    ["fallback_providers", []],
    ["terminal.backend", config.env.terminal_backend],
    ["terminal.timeout", config.env.terminal_timeout],
    ["terminal.lifetime_seconds", config.env.terminal_lifetime],
    ["tool_output.max_result_chars", config.env.default_result_size_chars],
    ["tool_output.max_reply_chars", config.env.turn_budget_chars],
    ["tool_output.preview_chars", config.env.preview_size_chars],
    ["tool_output.results", config.env.tool_result_overrides ?? {}],
    ...(definition.allows === undefined ? [] : [["permissions.allow", definition.allows] as const]),
  ]);
  if (flagText(invocation, "run-name") !== undefined && rollouts.store.kind !== "postgres")
    throw new UserError("--run-name shares a run through a database, and none is set.", {
      hint: "Set store.url to a PostgreSQL database that all machines can reach.",
      exitCode: 2,
    });
  const runName = flagText(invocation, "run-name");
  await using cancel =
    runName === undefined ? undefined : watchCancel({ ...rollouts.host.machine, ...rollouts }, runName, io.signal);
  const signal = cancel?.signal ?? io.signal;
  await using view = await openRunView(invocation);
  const run = await openEnvironmentRun(
    definition,
    {
      ...{ rollouts, config, replay, rng, cwd: io.cwd, env: io.env, tell: view.tell },
      allowsLocal: hasFlag(invocation, "allow-local-exec"),
    },
    signal,
  );
  const cancellable = { ...invocation, io: { ...io, signal } };
  try {
    return await runAs(what, run, { invocation: cancellable, deps: { out, view, store: rollouts.store } });
  } catch (error) {
    if (!signal.aborted || io.signal.aborted) throw error;
    out.note("The run was cancelled; finished work is kept.");
    return exitCodes.interrupted;
  }
}

async function runAs(
  what: string,
  run: EnvironmentRun,
  { invocation, deps }: { readonly invocation: Invocation; readonly deps: RunDeps },
): Promise<number> {
  if (what === "evaluate") return await runEvaluate(run, invocation, deps);
  if (what === "process") return await runProcess(run, invocation, deps);
  return flagText(invocation, "protocol") === "nemo-gym"
    ? await runGym(run, invocation, deps.out)
    : await runServe(run, invocation, deps);
}

function evalFolder({ config, definition }: EnvironmentRun, { io }: Invocation): string {
  const usual = path.join("evals", definition.name, stamp(new Date()));
  return path.resolve(io.cwd, config.data_dir_to_save_evals ?? usual);
}

interface RunDeps {
  readonly out: Output;
  readonly view: RunView;
  readonly store: Store;
}

/** What the machines of a run meet by; undefined: this one works alone. */
function meetingOf({ definition, rollouts }: EnvironmentRun, invocation: Invocation) {
  const name = flagText(invocation, "run-name");
  return name === undefined ? undefined : { ...rollouts.host.machine, runName: `${definition.name}:${name}` };
}

async function runEvaluate(
  run: EnvironmentRun,
  invocation: Invocation,
  { out, view, store }: RunDeps,
): Promise<number> {
  const resume = flagText(invocation, "resume");
  await using sink = await openMetricsSink(run, {}, invocation.io.signal);
  const meeting = meetingOf(run, invocation);
  const outcome = await evaluate(
    run,
    {
      folder: evalFolder(run, invocation),
      concurrency: run.config.max_eval_workers,
      resume: resume === undefined ? undefined : path.resolve(invocation.io.cwd, resume),
      shared: meeting && sharedRun(store, { ...meeting, kind: "evaluation", isOutcome: isSharedAttempt }),
      onItem: (line, done, total) => view.note(`${done}/${total} ${line}`),
    },
    invocation.io.signal,
  );
  await sink?.report({ step: 0, metrics: outcome.metrics, rollouts: [] });
  out.document({ metrics: outcome.metrics, samples: outcome.samplesFile, report: outcome.report });
  out.table(
    [{ title: "metric" }, { title: "value", align: "right" }],
    Object.entries(outcome.metrics).map(([name, value]) => [name, value.toFixed(4)]),
  );
  out.line(outcome.samplesFile);
  out.line(outcome.report);
  if (outcome.isStopped) out.note(`Stopped; ${plural(outcome.results.length, "result")} saved.`);
  return outcome.isStopped ? exitCodes.interrupted : exitCodes.ok;
}

async function runProcess(run: EnvironmentRun, invocation: Invocation, { out, view, store }: RunDeps): Promise<number> {
  const { io } = invocation;
  const file = path.resolve(
    io.cwd,
    run.config.data_path_to_save_groups ?? path.join("data", `${run.definition.name}.jsonl`),
  );
  const meeting = meetingOf(run, invocation);
  const shared = meeting && sharedRun(store, { ...meeting, kind: "groups", isOutcome: isAttemptedGroup });
  const outcome = await processGroups(run, { file, shared, onGroup: (line) => view.note(line) }, io.signal);
  out.document({ file: outcome.file, groups: outcome.groups, rewards: outcome.rewards });
  out.line(`${outcome.groups} groups in ${outcome.file}`);
  return outcome.isStopped ? exitCodes.interrupted : exitCodes.ok;
}

async function runServe(run: EnvironmentRun, invocation: Invocation, { out, view, store }: RunDeps): Promise<number> {
  const { io } = invocation;
  const meeting = meetingOf(run, invocation);
  if (run.servers.first.managed === undefined)
    out.note("Warning: this server tells no tokens; what is sent is made up and not fit for training.");
  const outcome = await serveEnvironment(
    run,
    {
      unsentFile: path.resolve(io.cwd, "unsent_groups.jsonl"),
      shared: meeting && sharedServe(store, meeting),
      onEvent: (line) => view.note(line),
      evaluate: async (signal) => {
        const folder = evalFolder(run, invocation);
        const { metrics } = await evaluate(
          // Its items are not those of the run that is followed.
          { ...run, tell: undefined },
          { folder, concurrency: run.config.max_eval_workers, onItem: (line) => view.note(line) },
          signal,
        );
        return metrics;
      },
    },
    io.signal,
  );
  out.document({ ...outcome });
  out.line(`${outcome.sent} groups sent, ${outcome.skipped} left out, ${outcome.unsent} not taken`);
  return exitCodes.ok;
}

/** An agent server of NeMo Gym, until somebody stops it. */
async function runGym(run: EnvironmentRun, invocation: Invocation, out: Output): Promise<number> {
  const { signal } = invocation.io;
  await using server = await openGymServer(run, {
    host: flagText(invocation, "host") ?? "127.0.0.1",
    port: flagNumber(invocation, "port", { usual: 9000, min: 0, max: 65_535 }),
    concurrency: run.config.max_num_workers > 0 ? run.config.max_num_workers : 32,
    resourcesServer: flagText(invocation, "resources-server"),
  });
  out.document({ url: server.url });
  out.line(`The agent server listens at ${server.url}`);
  await sleep(Number.POSITIVE_INFINITY, signal).catch(() => signal.aborted);
  return exitCodes.ok;
}
