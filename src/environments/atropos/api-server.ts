import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import { readRequestBody } from "#foundation/http/request-body";
import { parseJson } from "#foundation/text/json";
import { type TrainerFacts, TrajectoryQueue } from "./trajectory-queue.ts";

const largestBody = 512 * 1024 * 1024;

const trainer = z.object({
  wandb_group: z.string(),
  wandb_project: z.string(),
  batch_size: z.number().int(),
  max_token_len: z.number().int(),
  checkpoint_dir: z.string(),
  save_checkpoint_interval: z.number().int(),
  starting_step: z.number().int(),
  num_steps: z.number().int(),
});

const environment = z.object({
  max_token_length: z.number().int(),
  desired_name: z.string(),
  weight: z
    .number()
    .nullish()
    .transform((value) => value ?? 1),
  group_size: z.number().int(),
  min_batch_allocation: z
    .number()
    .nullish()
    .transform((value) => value ?? null),
});

const identifier = z.object({ env_id: z.number().int() });
/** Absent: null, so that every trainer finds every field. */
const optional = <T extends z.ZodType>(type: T) => type.nullish().transform((value) => value ?? null);
const sequences = z.array(z.array(z.number()));
const group = z.object({
  tokens: z.array(z.array(z.number().int())),
  masks: z.array(z.array(z.number().int())),
  scores: z.array(z.number()),
  advantages: optional(sequences),
  ref_logprobs: optional(sequences),
  messages: optional(z.array(z.array(z.looseObject({ role: z.unknown(), content: z.unknown() })))),
  generation_params: optional(z.record(z.string(), z.unknown())),
  inference_logprobs: optional(sequences),
  overrides: optional(z.array(z.record(z.string(), z.unknown()))),
  group_overrides: optional(z.record(z.string(), z.unknown())),
  images: optional(z.unknown()),
  env_id: optional(z.number().int()),
  distill_token_ids: optional(z.array(z.array(z.array(z.number().int())))),
  distill_logprobs: optional(z.array(z.array(z.array(z.number())))),
});

export interface TrajectoryApi extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

export interface TrajectoryApiOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
}

/** The meeting point of environments and a trainer: what `run-api` of Atropos is, without Python. It has no password. */
export async function openTrajectoryApi({ host, port }: TrajectoryApiOptions): Promise<TrajectoryApi> {
  const queue = new TrajectoryQueue();
  const server = createServer((request, response) => void answer(request, response, queue));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const taken = (server.address() as AddressInfo).port;
  return { url: `http://${host}:${taken}`, port: taken, [Symbol.asyncDispose]: () => close(server) };
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

interface Reply {
  readonly status?: number;
  readonly json?: unknown;
  /** JSON that is written already. */
  readonly jsonText?: string;
  /** Not JSON. */
  readonly text?: string;
}

async function answer(request: IncomingMessage, response: ServerResponse, queue: TrajectoryQueue): Promise<void> {
  let reply: Reply;
  try {
    reply = route(`${request.method} ${request.url?.split("?")[0]}`, await readBody(request), queue);
  } catch (error) {
    reply =
      error instanceof z.ZodError
        ? { status: 422, json: { detail: error.issues.map(detailOf) } }
        : { status: 400, text: error instanceof Error ? error.message : String(error) };
  }
  const text = reply.text ?? reply.jsonText ?? JSON.stringify(reply.json);
  response.writeHead(reply.status ?? 200, {
    "content-type": reply.text === undefined ? "application/json" : "text/plain; charset=utf-8",
  });
  response.end(text);
}

function detailOf(issue: z.core.$ZodIssue) {
  return { type: issue.code, loc: ["body", ...issue.path], msg: issue.message };
}

function route(asked: string, body: unknown, queue: TrajectoryQueue): Reply {
  switch (asked) {
    case "GET /":
      return { json: { message: "AtroposLib API" } };
    case "POST /register": {
      const facts: TrainerFacts = trainer.parse(body);
      // The number is larger than a JavaScript number can be.
      return { jsonText: `{"uuid":${queue.registerTrainer(facts)}}` };
    }
    case "GET /info":
      return {
        json: { batch_size: queue.trainer?.batch_size ?? -1, max_token_len: queue.trainer?.max_token_len ?? -1 },
      };
    case "GET /wandb_info":
      return { json: { group: queue.trainer?.wandb_group ?? null, project: queue.trainer?.wandb_project ?? null } };
    case "POST /register-env": {
      const registered = queue.registerEnvironment(environment.parse(body));
      return { json: registered === undefined ? waiting : { status: "success", ...registered } };
    }
    case "POST /disconnect-env": {
      const isKnown = queue.disconnect(identifier.parse(body).env_id);
      return { json: isKnown ? { status: "success" } : { status: "failure", error: "list index out of range" } };
    }
    case "GET /batch": {
      if (queue.trainer === undefined) return { json: unregistered };
      return { json: { batch: queue.nextBatch() ?? null } };
    }
    case "POST /scored_data":
      return { json: queue.submit(group.parse(body)) };
    case "POST /scored_data_list":
      return { json: submitList(z.array(group).parse(body), queue) };
    case "GET /status":
      return { json: queue.status };
    case "GET /status-env": {
      const status = queue.statusOf(identifier.parse(body).env_id);
      return status === undefined ? { status: 500, text: "Internal Server Error" } : { json: status };
    }
    case "GET /latest_example":
      return { json: queue.latest ?? noExample };
    case "GET /reset_data":
      queue.reset();
      return { text: "Reset successful" };
    default:
      return { status: 404, json: { detail: "Not Found" } };
  }
}

const waiting = { status: "wait for trainer to start" };
const unregistered = { status: "error", message: "Trainer not registered. Call /register first.", batch: [] };
const noExample = {
  ...{ tokens: [], masks: [], scores: [], advantages: [], ref_logprobs: [] },
  ...{ generation_params: [], inference_logprobs: [], messages: [], images: [] },
};

function submitList(groups: readonly z.infer<typeof group>[], queue: TrajectoryQueue) {
  const buffered = groups.map((one) => queue.submit(one)).filter((one) => one.status === "buffered");
  const last = buffered.at(-1);
  return {
    status: "received",
    groups_processed: groups.length,
    ...(last === undefined ? {} : { buffered: buffered.length, last_buffer_size: last.buffer_size }),
  };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const bytes = await readRequestBody(request, largestBody);
  if (bytes === undefined) throw new Error("the body is too large");
  const text = plainBytes(bytes, request.headers["content-encoding"]).toString("utf8");
  if (text === "") return undefined;
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : undefined;
}

function plainBytes(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding !== "gzip") return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: largestBody });
  } catch (cause) {
    throw new Error("Invalid gzip payload", { cause });
  }
}
