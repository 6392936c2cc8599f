import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Message, textOf } from "#conversation";
import { describe } from "#foundation/errors";
import { readRequestBody } from "#foundation/http/request-body";
import { Slots } from "#foundation/lifecycle/slots";
import { newId } from "#foundation/text/ids";
import { isRecord, parseJson } from "#foundation/text/json";
import { type Attempt, attemptItem, toolsetsFor } from "../env/attempt.ts";
import type { EnvironmentRun } from "../env/environment-run.ts";
import { mean } from "../statistics.ts";

export interface GymServer extends AsyncDisposable {
  readonly url: string;
}

export interface GymOptions {
  readonly host: string;
  readonly port: number;
  /** Most rollouts at once; others wait. */
  readonly concurrency: number;
}

type Row = Readonly<Record<string, unknown>>;

const largestBody = 64 * 1024 * 1024;
/** What an earlier collection may have left in a row. */
const resultKeys = ["reward", "response", "error"];

/**
 * Hermes as an agent server of NeMo Gym: `POST /run` takes a row of a dataset, runs the agent with the environment's own
 * sandbox and reward, and answers with the row, a Responses object and the reward. A rollout that fails is an answer, too.
 */
export async function openGymServer(run: EnvironmentRun, options: GymOptions): Promise<GymServer> {
  const slots = new Slots(options.concurrency);
  const stop = new AbortController();
  const server = createServer(
    (request, response) => void answer(request, response, { run, slots, signal: stop.signal }),
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
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface GymContext {
  readonly run: EnvironmentRun;
  readonly slots: Slots;
  readonly signal: AbortSignal;
}

async function answer(request: IncomingMessage, response: ServerResponse, context: GymContext): Promise<void> {
  const [status, value] = await route(request, context).catch(
    (error: unknown) => [500, { error: describe(error) }] as const,
  );
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

async function route(request: IncomingMessage, context: GymContext): Promise<readonly [number, unknown]> {
  switch (`${request.method} ${request.url}`) {
    case "GET /health":
      return [200, { status: "ok" }];
    case "POST /run": {
      const row = await readRow(request);
      if (row === undefined) return [400, { error: "the body is not a JSON object" }];
      if (!isRolloutId(rolloutId(row))) return [400, { error: "the rollout id has characters that are not allowed" }];
      using _slot = await context.slots.take(context.signal);
      return [200, await runRow(row, context)];
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

/** Always an answer: what goes wrong is a reward of 0 with its reason. */
async function runRow(row: Row, { run, signal }: GymContext): Promise<Row> {
  const own = Object.entries(row).filter(([name]) => !resultKeys.includes(name) && !/^_ng_(failure|result)/.test(name));
  const item = run.environment.next();
  const toolsets = toolsetsFor(run, run.rollouts.host.machine.loaded.config.toolset_distributions);
  const key = `gym_${rolloutId(row)}_${newId("r").slice(-6)}`;
  const attempt = await attemptItem({ item: itemOf(row, item), key, toolsets }, run, signal);
  const failed = attempt.result === undefined || attempt.error !== undefined;
  return {
    ...Object.fromEntries(own),
    response: responseOf(attempt, run.modelName),
    reward: attempt.reward,
    turns_used: attempt.result?.turns_used ?? 0,
    finished_naturally: attempt.result?.finished_naturally ?? false,
    ...(Object.keys(attempt.details).length === 0 ? {} : { reward_components: attempt.details }),
    ...(failed ? { error: attempt.error ?? "the model did not answer", _ng_failure_class: "hermes_error" } : {}),
  };
}

/** The row's own task fields over those of the next item. */
function itemOf(row: Row, item: unknown): unknown {
  const fields = Object.entries(row).filter(([name]) => !name.startsWith("_ng_") && name !== "responses_create_params");
  return isRecord(item) ? { ...item, ...Object.fromEntries(fields) } : item;
}

function responseOf({ result }: Attempt, model: string): Row {
  const output = (result?.messages ?? []).slice(1).flatMap(outputItems);
  const usage = result?.usage;
  return {
    id: newId("resp"),
    created_at: 0,
    model,
    object: "response",
    parallel_tool_calls: false,
    tools: [],
    tool_choice: "auto",
    output: output.length === 0 ? [messageItem("")] : output,
    ...(usage === undefined || usage.completion_tokens === 0
      ? {}
      : {
          usage: {
            input_tokens: usage.prompt_tokens,
            output_tokens: usage.completion_tokens,
            total_tokens: usage.prompt_tokens + usage.completion_tokens,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens_details: { reasoning_tokens: 0 },
          },
        }),
  };
}

function outputItems(message: Message): readonly Row[] {
  const text = textOf(message.content);
  switch (message.role) {
    case "tool":
      return [{ type: "function_call_output", call_id: message.tool_call_id, output: text, status: "completed" }];
    case "assistant":
      return [
        ...(text === "" && message.tool_calls?.length ? [] : [messageItem(text)]),
        ...(message.tool_calls ?? []).map(({ id, function: called }) => ({
          type: "function_call",
          id: `fc_${id}`,
          call_id: id,
          name: called.name,
          arguments: called.arguments,
          status: "completed",
        })),
      ];
    default:
      return [];
  }
}

function messageItem(text: string): Row {
  return {
    type: "message",
    id: newId("msg"),
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  };
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
