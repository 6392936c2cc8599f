import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe } from "#foundation/errors";
import { readRequestBody } from "#foundation/http/request-body";
import { Slots } from "#foundation/lifecycle/slots";
import { newId } from "#foundation/text/ids";
import { isRecord, parseJson } from "#foundation/text/json";
import { attemptItem, toolsetsFor } from "../env/attempt.ts";
import type { EnvironmentRun } from "../env/environment-run.ts";
import { mean } from "../statistics.ts";
import { conversationItems, responseObject } from "./items.ts";
import { readQuestion } from "./question.ts";
import { RemoteAgent } from "./remote-agent.ts";
import { ResourcesServer } from "./resources-server.ts";

export interface GymServer extends AsyncDisposable {
  readonly url: string;
}

export interface GymOptions {
  readonly host: string;
  readonly port: number;
  /** Most rollouts at once; others wait. */
  readonly concurrency: number;
  /** Who scores rows in place of the environment. */
  readonly resourcesServer?: string | undefined;
}

type Row = Readonly<Record<string, unknown>>;

const largestBody = 64 * 1024 * 1024;
/** What an earlier collection may have left in a row. */
const resultKeys = ["reward", "response", "error"];

/**
 * Hermes as an agent server of NeMo Gym: `POST /run` takes a row of a dataset, runs the agent with the environment's own
 * sandbox and reward, and answers with the row, a Responses object and the reward. A rollout that fails is an answer, too.
 * `POST /v1/responses` is the agent alone: whoever asks runs the tools that are not ours, and finds out what it was worth.
 */
export async function openGymServer(run: EnvironmentRun, options: GymOptions): Promise<GymServer> {
  const slots = new Slots(options.concurrency);
  const stop = new AbortController();
  const { signal } = stop;
  const remote = new RemoteAgent(run, slots, signal);
  const { resourcesServer: url } = options;
  const resources = url === undefined ? undefined : new ResourcesServer(url);
  const server = createServer(
    (request, response) => void answer(request, response, { run, slots, signal, remote, resources }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host}:${port}`,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await remote[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface GymContext {
  readonly run: EnvironmentRun;
  readonly slots: Slots;
  readonly signal: AbortSignal;
  readonly remote: RemoteAgent;
  readonly resources: ResourcesServer | undefined;
}

type Answer = readonly [status: number, body: unknown, rollout?: string];

const cookie = "hermes_rollout";

async function answer(request: IncomingMessage, response: ServerResponse, context: GymContext): Promise<void> {
  const [status, value, rollout] = await route(request, context).catch(
    (error: unknown): Answer => [500, { error: describe(error) }],
  );
  response.writeHead(status, {
    "content-type": "application/json",
    // The rollout goes on in the same sandbox for whoever sends this again.
    ...(rollout === undefined ? {} : { "set-cookie": `${cookie}=${rollout}; Path=/; HttpOnly; SameSite=Strict` }),
  });
  response.end(JSON.stringify(value));
}

async function route(request: IncomingMessage, context: GymContext): Promise<Answer> {
  switch (`${request.method} ${request.url}`) {
    case "GET /health":
      return [200, { status: "ok" }];
    case "POST /run": {
      const row = await readRow(request);
      if (row === undefined) return [400, { error: "the body is not a JSON object" }];
      if (!isRolloutId(rolloutId(row))) return [400, { error: "the rollout id has characters that are not allowed" }];
      using _slot = await context.slots.take(context.signal);
      return [200, await runRow(row, context).catch((error: unknown) => failedRow(row, context.run, error))];
    }
    case "POST /v1/responses": {
      const body = await readRow(request);
      const question = body && readQuestion(body);
      if (question === undefined) return [400, { error: "input is neither a text nor items with a user's message" }];
      const known = new RegExp(`(?:^|;\\s*)${cookie}=([0-9a-f]{24})`).exec(request.headers.cookie ?? "")?.[1];
      const answered = await context.remote.respond(known, question);
      return [200, answered.body, answered.id];
    }
    case "POST /aggregate_metrics":
      return [200, aggregate(await readRow(request))];
    default:
      return [404, { error: "not found" }];
  }
}

function rolloutId(row: Row): string {
  const named = row["_ng_rollout_id"];
  if (typeof named === "string") return named;
  const attempt = row["_ng_attempt_index"];
  return `${row["_ng_task_index"] ?? 0}-${row["_ng_rollout_index"] ?? 0}${attempt === undefined ? "" : `-a${attempt}`}`;
}

function isRolloutId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(id);
}

function failedRow(row: Row, { modelName: model }: EnvironmentRun, error: unknown): Row {
  const response = responseObject({ model, output: [] });
  return { ...own(row), response, reward: 0, error: describe(error), _ng_failure_class: "hermes_error" };
}

/** Without what an earlier collection left. */
function own(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).filter(([name]) => !resultKeys.includes(name) && !/^_ng_(failure|result)/.test(name)),
  );
}

/** Always an answer: what goes wrong is a reward of 0 with its reason. */
async function runRow(row: Row, { run, signal, resources }: GymContext): Promise<Row> {
  const seeded = await resources?.seed(row, signal);
  const item = run.environment.next();
  const toolsets = toolsetsFor(run);
  const key = `gym_${rolloutId(row)}_${newId("r").slice(-6)}`;
  const attempt = await attemptItem({ item: itemOf(row, item), key, toolsets }, run, signal);
  const failed = attempt.result === undefined || attempt.error !== undefined;
  const answered = {
    ...own(row),
    response: responseObject({
      model: run.modelName,
      output: conversationItems((attempt.result?.messages ?? []).slice(1), attempt.calls),
      usage: attempt.result?.usage,
    }),
    reward: attempt.reward,
    turns_used: attempt.result?.turns_used ?? 0,
    finished_naturally: attempt.result?.finished_naturally ?? false,
    ...(Object.keys(attempt.details).length === 0 ? {} : { reward_components: attempt.details }),
    ...(attempt.breaks > 0 ? { mask_sample: true } : {}),
    ...(failed ? { error: attempt.error ?? "the model did not answer", _ng_failure_class: "hermes_error" } : {}),
  };
  return failed || seeded === undefined ? answered : { ...answered, ...(await seeded.verify(answered, signal)) };
}

/** The row's own task fields over those of the next item. */
function itemOf(row: Row, item: unknown): unknown {
  const fields = Object.entries(row).filter(([name]) => !name.startsWith("_ng_") && name !== "responses_create_params");
  return isRecord(item) ? { ...item, ...Object.fromEntries(fields) } : item;
}

function aggregate(body: Row | undefined): Row {
  const rows = Array.isArray(body?.["verify_responses"]) ? body["verify_responses"].filter(isRecord) : [];
  const rewards = rows.map(({ reward }) => (typeof reward === "number" ? reward : 0));
  return { group_level_metrics: [], agent_metrics: {}, key_metrics: { "mean/reward": mean(rewards) } };
}

async function readRow(request: IncomingMessage): Promise<Row | undefined> {
  const bytes = await readRequestBody(request, largestBody);
  const parsed = parseJson(bytes?.toString("utf8") ?? "");
  return parsed.ok && isRecord(parsed.value) ? parsed.value : undefined;
}
