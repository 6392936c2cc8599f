import { createHash, randomBytes } from "node:crypto";
import { askModel, type StartingModel } from "#agent";
import { userMessage } from "#conversation";
import { UserError } from "#foundation/errors";
import { Slots } from "#foundation/lifecycle/slots";
import { findDocker } from "#tools";
import type { TellRun } from "../progress/run-event.ts";
import { Cassette, type ReplayOptions } from "../replay/cassette.ts";
import type { Rollouts } from "../rollout/open-rollouts.ts";
import { dummySequence, placeholderSequence } from "../tokens/sequence.ts";
import { openTokenizer } from "../tokens/tokenizer.ts";
import { type Attempt, type AttemptDeps, attemptItem, toolsetsFor } from "./attempt.ts";
import type { EnvironmentConfig, ServerConfig } from "./config.ts";
import type { Distillation, Environment } from "./environment.ts";
import { ModelServers } from "./model-servers.ts";

/** An environment at work: what evaluating, processing and serving share. */
export interface EnvironmentRun extends AttemptDeps<unknown> {
  readonly definition: Environment;
  readonly all: EnvironmentConfig;
  /** Names the model in files. */
  readonly modelName: string;
}

export interface RunOptions {
  readonly rollouts: Rollouts;
  readonly config: EnvironmentConfig;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Commands of a model may run on this machine, without a container. */
  readonly allowsLocal: boolean;
  readonly replay?: ReplayOptions | undefined;
  /** Hears what happens in the run. */
  readonly tell?: TellRun | undefined;
  /** Draws of toolsets are the same for the same number; undefined: they are not. */
  readonly rng?: number | undefined;
}

export async function openEnvironmentRun(
  definition: Environment,
  options: RunOptions,
  signal: AbortSignal,
): Promise<EnvironmentRun> {
  const { rollouts, config, cwd, env } = options;
  const { machine } = rollouts.host;
  if (definition.needsIsolation === true && config.env.terminal_backend === "local" && !options.allowsLocal)
    throw new UserError(`${definition.name} runs commands that nobody has looked at.`, {
      hint: "Run them in containers (--env.terminal_backend docker), or say --allow-local-exec.",
      exitCode: 2,
    });
  if (config.env.terminal_backend === "docker" && options.replay === undefined) await needContainers(env, signal);
  const tokenizer = ({ tokenizer_name }: ServerConfig) => {
    const name = tokenizer_name ?? config.env.tokenizer_name;
    return name === null ? Promise.resolve(undefined) : openTokenizer(name, { cwd, env });
  };
  // What is replayed asks no server anything.
  const isReplay = options.replay?.mode === "replay";
  const asked = isReplay ? config.servers.map((one) => ({ ...one, health_check: false })) : config.servers;
  const servers = await ModelServers.open({ ...config, servers: asked }, { rollouts, tokenizer }, signal);
  const { model, managed } = servers.first;
  if (managed !== undefined && options.replay !== undefined)
    throw new UserError("A cassette does not keep the tokens that a server tells.", {
      hint: "Record and replay with: --openai.server_type openai",
      exitCode: 2,
    });
  const judge = judgeWith(rollouts, model);
  const environment = await definition.open(
    { config, cwd, env, logger: machine.logger, judge, scoreReply: managed?.scoreReply },
    signal,
  );
  const standIn = config.servers[0] && (await tokenizer(config.servers[0]));
  const isDummy = /^(1|true|yes)$/i.test(env["ATROPOS_ALLOW_DUMMY_MANAGED_SERVER"] ?? "");
  const ownId = `${definition.name}_${randomBytes(4).toString("hex")}`;
  const redact = (text: string): string => rollouts.tools.redact(text);
  const { replay } = options;
  const cassette = replay && (await Cassette.open(replay, { runId: ownId, logger: machine.logger, redact }));
  return {
    definition,
    all: config,
    rollouts,
    config: config.env,
    servers,
    modelName: model.target.model,
    environment,
    callSlots: new Slots(config.env.tool_pool_size),
    runId: cassette?.runId ?? ownId,
    cassette,
    tell: options.tell,
    random: options.rng === undefined ? Math.random : seeded(options.rng),
    placeholder: (messages) => (isDummy ? dummySequence : placeholderSequence(messages, standIn)),
  };
}

/** Before a model is paid for. */
async function needContainers(env: RunOptions["env"], signal: AbortSignal): Promise<void> {
  try {
    await findDocker(env, signal);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(error.message, { hint: error.hint, exitCode: 2, cause: error });
  }
}

function seeded(rng: number): () => number {
  let step = 0;
  return () => createHash("sha256").update(`${rng}\n${step++}`).digest().readUInt32BE(0) / 2 ** 32;
}

function judgeWith({ host }: Rollouts, { target }: StartingModel) {
  const spender = { sessionId: "judge", userId: undefined, treeId: "judge" };
  return async (
    prompt: string,
    options: { readonly maxTokens: number; readonly temperature: number },
    signal: AbortSignal,
  ) => {
    const { provider, model, baseUrl } = target;
    const answer = await askModel(
      host.models,
      {
        wanted: { provider, model, baseUrl },
        spender,
        purpose: "judge",
        messages: [userMessage(prompt)],
        options: { maxOutputTokens: options.maxTokens, temperature: options.temperature },
      },
      signal,
    );
    return answer.kind === "answer" ? answer.collected.message.content : undefined;
  };
}

export interface AttemptedGroup {
  readonly attempts: readonly Attempt[];
  readonly distillation: Distillation | undefined;
}

/** A group: the same item, the same tools, several attempts at once. One that fails is tried once more, then scored 0. */
export async function attemptGroup(
  { item, key, size }: { readonly item: unknown; readonly key: string; readonly size: number },
  run: EnvironmentRun,
  signal: AbortSignal,
): Promise<AttemptedGroup> {
  const { environment } = run;
  const toolsets = toolsetsFor(run);
  const attempt = (index: number, round: string): Promise<Attempt> =>
    attemptItem({ item, key: `${key}_${index}${round}`, toolsets }, run, signal);
  const attempts = await Promise.all(
    Array.from({ length: size }, async (_, index) => {
      const first = await attempt(index, "");
      const isFinal = first.result !== undefined || run.cassette?.options.mode === "replay";
      return isFinal ? first : await attempt(index, "b");
    }),
  );
  return { attempts, distillation: await environment.distill?.(item, attempts, signal) };
}
