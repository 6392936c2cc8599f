import { gzipSync } from "node:zlib";
import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import { httpRequest } from "#foundation/http/request";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import type { ScoredGroup } from "../env/group.ts";
import type { QueueStatus } from "./schedule.ts";

export interface Registration {
  readonly env_id: number;
  readonly wandb_name: string;
  readonly checkpoint_dir: string;
  readonly starting_step: number;
  readonly checkpoint_interval: number;
  readonly num_steps: number;
}

export interface EnvironmentFacts {
  readonly max_token_length: number;
  readonly desired_name: string;
  readonly weight: number;
  readonly group_size: number;
  readonly min_batch_allocation: number | null;
}

type Answer =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly body: Readonly<Record<string, unknown>>;
      readonly text: string;
    }
  | { readonly kind: "unreachable"; readonly message: string };

const answerMs = 30_000;
const maxBytes = 64 * 1024 * 1024;
const smallestGzip = 1024;
const attempts = 3;

/** Talks to a trajectory API server, the meeting point of environments and a trainer. */
export class TrajectoryClient {
  readonly #url: string;
  readonly #clock: Clock;

  constructor(url: string, clock: Clock) {
    this.#url = url.replace(/\/+$/, "");
    this.#clock = clock;
  }

  /** Waits until the trainer has begun, then registers this environment. */
  async register(facts: EnvironmentFacts, signal: AbortSignal): Promise<Registration> {
    for (;;) {
      const answer = await this.#send("POST /register-env", facts, signal);
      if (answer.kind === "answer" && answer.body["status"] === "success")
        return answer.body as unknown as Registration;
      if (answer.kind === "answer" && answer.status === 422)
        throw new UserError(`${this.#url} refused the environment: ${answer.text.slice(0, 500)}`, { exitCode: 1 });
      await this.#clock.sleep(1000, signal);
    }
  }

  /** The size of a batch and the longest sequence; undefined while there is no trainer. */
  async info(signal: AbortSignal): Promise<{ readonly batchSize: number; readonly maxTokens: number } | undefined> {
    const answer = await this.#patiently(() => this.#send("GET /info", undefined, signal), signal);
    const { batch_size, max_token_len } = answer.body;
    return typeof batch_size === "number" && batch_size > 0
      ? { batchSize: batch_size, maxTokens: typeof max_token_len === "number" ? max_token_len : -1 }
      : undefined;
  }

  /** Where the trainer draws its curves; waits until it has said so. */
  async charts(signal: AbortSignal): Promise<{ readonly project: string; readonly group: string | undefined }> {
    for (;;) {
      const answer = await this.#patiently(() => this.#send("GET /wandb_info", undefined, signal), signal);
      const { project, group } = answer.body;
      if (typeof project === "string") return { project, group: typeof group === "string" ? group : undefined };
      await this.#clock.sleep(1000, signal);
    }
  }

  /** Undefined when the server does not know this environment (any more). */
  async status(envId: number, signal: AbortSignal): Promise<QueueStatus | undefined> {
    // A GET with a body: that is how the server reads it.
    const answer = await this.#send("GET /status-env", { env_id: envId }, signal);
    return answer.kind === "answer" && answer.status === 200 ? (answer.body as unknown as QueueStatus) : undefined;
  }

  /** `refused` stays so however often it is sent; `away` is worth another try later. */
  async submit(group: ScoredGroup, signal: AbortSignal): Promise<"sent" | "refused" | "away"> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#send("POST /scored_data", group, signal);
      if (answer.kind === "answer" && answer.status < 300) return "sent";
      if (answer.kind === "answer" && answer.status < 500) return "refused";
      if (attempt >= attempts) return "away";
      await this.#clock.sleep(Math.random() * Math.min(10, 2 ** (attempt - 1)) * 1000, signal);
    }
  }

  async disconnect(envId: number, signal: AbortSignal): Promise<void> {
    await this.#send("POST /disconnect-env", { env_id: envId }, signal);
  }

  async #patiently(ask: () => Promise<Answer>, signal: AbortSignal): Promise<Extract<Answer, { kind: "answer" }>> {
    for (let waitMs = 500; ; waitMs = Math.min(waitMs * 2, 30_000)) {
      const answer = await ask();
      if (answer.kind === "answer" && answer.status < 500) return answer;
      await this.#clock.sleep(waitMs, signal);
    }
  }

  async #send(route: `${"GET" | "POST"} /${string}`, value: unknown, signal: AbortSignal): Promise<Answer> {
    const [method = "", path = ""] = route.split(" ");
    const plain = value === undefined ? undefined : Buffer.from(JSON.stringify(value));
    const packed = plain !== undefined && plain.length >= smallestGzip ? gzipSync(plain) : undefined;
    const isPacked = packed !== undefined && plain !== undefined && packed.length < plain.length;
    const body = isPacked ? packed : plain;
    const response = await httpRequest(`${this.#url}${path}`, {
      method,
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json", "content-length": String(body.length) }),
        ...(isPacked ? { "content-encoding": "gzip" } : {}),
      },
      ...defined({ body }),
      signal,
      timeoutMs: answerMs,
      maxBodyBytes: maxBytes,
    });
    signal.throwIfAborted();
    if (response.kind === "failure") return { kind: "unreachable", message: response.failure.message };
    const text = await response.text();
    if (text.kind === "failure") return { kind: "unreachable", message: text.failure.message };
    const parsed = parseJson(text.text);
    const record = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
    return { kind: "answer", status: response.status, body: record, text: text.text };
  }
}
