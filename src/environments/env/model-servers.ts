import type { StartingModel } from "#agent";
import { UserError } from "#foundation/errors";
import { httpRequest } from "#foundation/http/request";
import { timeLimit } from "#foundation/lifecycle/abort";
import { Slots } from "#foundation/lifecycle/slots";
import { Secret } from "#foundation/secrets/secret";
import type { Clock } from "#foundation/time/clock";
import type { AttemptEvent, Models } from "#model";
import { givesTokens } from "../managed/generate.ts";
import { type ManagedModel, managedModel } from "../managed/managed-model.ts";
import type { Rollouts } from "../rollout/open-rollouts.ts";
import { mean } from "../statistics.ts";
import type { ModelTokenizer } from "../tokens/tokenizer.ts";
import type { EnvironmentConfig, ServerConfig } from "./config.ts";

/** Training and evaluation do not wait for each other's requests. */
export type ServerUse = "training" | "evaluation";

/** One of the servers that serve the model of a run. */
interface ModelServer {
  readonly config: ServerConfig;
  readonly model: StartingModel;
  /** Where the exact tokens of each rollout are kept; undefined: the server does not tell them. */
  readonly managed: ManagedModel | undefined;
  readonly requests: Readonly<Record<ServerUse, Slots>>;
  /** Rollouts that stay with it at present. */
  readonly rollouts: Record<ServerUse, number>;
  /** Milliseconds of the latest requests. */
  readonly times: number[];
  health: { readonly atMs: number; readonly isGood: Promise<boolean> } | undefined;
}

/** The server that one rollout stays with: its prompts begin alike, and a server keeps what it has read. */
export interface ChosenServer extends Disposable {
  readonly model: StartingModel;
  readonly managed: ManagedModel | undefined;
  /** The models, with the requests of this server counted and bounded. */
  bounded(models: Models): Models;
}

const healthMs = 1000;
const healthTimeoutMs = 2000;

export class ModelServers {
  readonly #servers: readonly ModelServer[];
  readonly #rollouts: Rollouts;
  readonly first: { readonly model: StartingModel; readonly managed: ManagedModel | undefined };

  private constructor(servers: readonly [ModelServer, ...ModelServer[]], rollouts: Rollouts) {
    this.#servers = servers;
    this.#rollouts = rollouts;
    [this.first] = servers;
  }

  static async open(
    { servers, env }: EnvironmentConfig,
    deps: { readonly rollouts: Rollouts; tokenizer(server: ServerConfig): Promise<ModelTokenizer | undefined> },
    signal: AbortSignal,
  ): Promise<ModelServers> {
    const { rollouts } = deps;
    const open = async (config: ServerConfig): Promise<ModelServer> => ({
      config,
      model: await rollouts.chooseModel(
        {
          model: config.model_name ?? undefined,
          baseUrl: config.base_url === "" ? undefined : config.base_url,
          apiKey: config.api_key === "" ? undefined : new Secret(config.api_key),
        },
        signal,
      ),
      managed: managedBy({ config, models: rollouts.host.models, tokenizer: await deps.tokenizer(config) }, env),
      requests: {
        training: new Slots(config.num_max_requests_at_once),
        evaluation: new Slots(config.num_requests_for_eval),
      },
      rollouts: { training: 0, evaluation: 0 },
      times: [],
      health: undefined,
    });
    const [first, ...others] = servers;
    if (first === undefined) throw new UserError("No model server is configured.", { exitCode: 2 });
    return new ModelServers([await open(first), ...(await Promise.all(others.map(open)))], rollouts);
  }

  /** How much of each server this environment may take beside others that feed the same trainer. */
  share(weight: number): void {
    for (const { config, requests } of this.#servers)
      requests.training.resize(config.num_max_requests_at_once * weight);
  }

  /** How long the requests of late took, in seconds, for each server. */
  figures(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      this.#servers.flatMap(({ times }, index) =>
        times.length === 0
          ? []
          : Object.entries(timeFigures(times.map((ms) => ms / 1000))).map(([name, value]) => [
              `server/server_${index}_request_time_${name}`,
              value,
            ]),
      ),
    );
  }

  /** The one with most room among those that are up; waits while none is. */
  async choose(use: ServerUse, signal: AbortSignal): Promise<ChosenServer> {
    const { clock, logger } = this.#rollouts.host.machine;
    for (let waits = 0; ; waits += 1) {
      signal.throwIfAborted();
      const up = await Promise.all(this.#servers.map((server) => this.#isUp(server)));
      const free = this.#servers.filter((_, index) => up[index]).sort((a, b) => room(b, use) - room(a, use));
      const [server] = free;
      if (server !== undefined) return chosen(server, use, clock);
      if (waits === 0) logger.warn("no model server answers; rollouts wait", { servers: this.#servers.length });
      await clock.sleep(healthMs, signal);
    }
  }

  /** A single server is not asked: there is no other, and what fails is tried again anyway. */
  #isUp(server: ModelServer): Promise<boolean> | true {
    if (this.#servers.length < 2 || !server.config.health_check) return true;
    const now = this.#rollouts.host.machine.clock.now();
    if (server.health === undefined || now - server.health.atMs >= healthMs)
      server.health = { atMs: now, isGood: answers(server.config) };
    return server.health.isGood;
  }
}

function managedBy(
  options: { readonly config: ServerConfig; readonly models: Models; readonly tokenizer: ModelTokenizer | undefined },
  env: EnvironmentConfig["env"],
): ManagedModel | undefined {
  const { config: server, models, tokenizer } = options;
  if (!givesTokens(server.server_type)) return undefined;
  if (server.token_source !== "chat" && tokenizer === undefined)
    throw new UserError(`server_type ${server.server_type} needs a tokenizer.`, {
      hint: "Name one that is on this machine (--env.tokenizer_name <folder>), or let the server tell its tokens: --openai.token_source chat",
      exitCode: 2,
    });
  const { thinking_mode: thinkingMode, max_token_length: usualMaxTokens } = env;
  return managedModel({ models, server, tokenizer, thinkingMode, usualMaxTokens });
}

function room({ config, rollouts }: ModelServer, use: ServerUse): number {
  const most = use === "training" ? config.num_max_requests_at_once : config.num_requests_for_eval;
  return most - rollouts[use];
}

function timeFigures(seconds: readonly number[]) {
  const avg = mean(seconds);
  const sorted = [...seconds].sort((a, b) => a - b);
  return {
    avg,
    std: Math.sqrt(mean(seconds.map((one) => (one - avg) ** 2))),
    "99p": sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? 0,
  };
}

function chosen(server: ModelServer, use: ServerUse, clock: Clock): ChosenServer {
  const { model, managed, requests, rollouts, times, config } = server;
  rollouts[use] += 1;
  return {
    model,
    managed,
    bounded: (models) => ({
      ...models,
      stream: async function* (request, signal): AsyncGenerator<AttemptEvent> {
        using _slot = await requests[use].take(signal);
        const startedMs = clock.now();
        yield* models.stream(request, signal);
        times.push(clock.now() - startedMs);
        if (times.length > config.rolling_buffer_length) times.shift();
      },
    }),
    [Symbol.dispose]: () => {
      rollouts[use] -= 1;
    },
  };
}

async function answers({ base_url, server_type, api_key }: ServerConfig): Promise<boolean> {
  const base = base_url.replace(/\/+$/, "");
  if (base === "") return true;
  const url = givesTokens(server_type) ? `${base.replace(/\/v1$/, "")}/health` : `${base}/models`;
  const response = await httpRequest(url, {
    headers: api_key === "" ? {} : { authorization: `Bearer ${api_key}` },
    signal: timeLimit(healthTimeoutMs),
    timeoutMs: healthTimeoutMs,
    maxBodyBytes: 0,
  });
  if (response.kind === "failure") return false;
  await response.discard();
  return response.status < 500;
}
