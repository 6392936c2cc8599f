import { randomBytes } from "node:crypto";
import { askModel, type StartingModel } from "#agent";
import { userMessage } from "#conversation";
import { UserError } from "#foundation/errors";
import { Secret } from "#foundation/secrets/secret";
import { givesTokens } from "../managed/generate.ts";
import { managedModel } from "../managed/managed-model.ts";
import type { Rollouts } from "../rollout/open-rollouts.ts";
import { dummySequence, placeholderSequence } from "../tokens/sequence.ts";
import { openTokenizer } from "../tokens/tokenizer.ts";
import { type Attempt, type AttemptDeps, attemptItem, toolsetsFor } from "./attempt.ts";
import type { EnvironmentConfig } from "./config.ts";
import type { Environment } from "./environment.ts";

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
}

export async function openEnvironmentRun(
  definition: Environment,
  options: RunOptions,
  signal: AbortSignal,
): Promise<EnvironmentRun> {
  const { rollouts, config, cwd, env } = options;
  const { machine, models } = rollouts.host;
  const [server] = config.servers;
  if (server === undefined) throw new UserError("No model server is configured.", { exitCode: 2 });
  if (definition.needsIsolation === true && config.env.terminal_backend === "local" && !options.allowsLocal)
    throw new UserError(`${definition.name} runs commands that nobody has looked at.`, {
      hint: "Run them in containers (--env.terminal_backend docker), or say --allow-local-exec.",
      exitCode: 2,
    });
  const model = await rollouts.chooseModel(
    {
      model: server.model_name ?? undefined,
      baseUrl: server.base_url === "" ? undefined : server.base_url,
      apiKey: server.api_key === "" ? undefined : new Secret(server.api_key),
    },
    signal,
  );
  const tokenizerName = server.tokenizer_name ?? config.env.tokenizer_name;
  const tokenizer = tokenizerName === null ? undefined : await openTokenizer(tokenizerName, { cwd, env });
  if (givesTokens(server.server_type) && tokenizer === undefined)
    throw new UserError(`server_type ${server.server_type} needs a tokenizer.`, {
      hint: "Name one that is on this machine: --env.tokenizer_name <folder>",
      exitCode: 2,
    });
  const environment = await definition.open(
    { config, cwd, env, logger: machine.logger, judge: judgeWith(rollouts, model) },
    signal,
  );
  const isDummy = /^(1|true|yes)$/i.test(env["ATROPOS_ALLOW_DUMMY_MANAGED_SERVER"] ?? "");
  return {
    definition,
    all: config,
    rollouts,
    config: config.env,
    model,
    modelName: model.target.model,
    environment,
    runId: `${definition.name}_${randomBytes(4).toString("hex")}`,
    managed:
      tokenizer !== undefined && givesTokens(server.server_type)
        ? managedModel({
            models,
            server,
            tokenizer,
            thinkingMode: config.env.thinking_mode,
            usualMaxTokens: config.env.max_token_length,
          })
        : undefined,
    placeholder: (messages) => (isDummy ? dummySequence : placeholderSequence(messages, tokenizer)),
  };
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

/** A group: the same item, the same tools, several attempts at once. One that fails is tried once more, then scored 0. */
export async function attemptGroup(
  { item, key, size }: { readonly item: unknown; readonly key: string; readonly size: number },
  run: EnvironmentRun,
  signal: AbortSignal,
): Promise<readonly Attempt[]> {
  const { config, rollouts } = run;
  const toolsets = toolsetsFor(config, rollouts.host.machine.loaded.config.toolset_distributions);
  const attempt = (index: number, round: string): Promise<Attempt> =>
    attemptItem({ item, key: `${key}_${index}${round}`, toolsets, temperature: config.agent_temperature }, run, signal);
  return await Promise.all(
    Array.from({ length: size }, async (_, index) => {
      const first = await attempt(index, "");
      return first.result === undefined ? await attempt(index, "b") : first;
    }),
  );
}
