import { createHash, randomBytes } from "node:crypto";
import { defined } from "#foundation/defined";
import type { Logger } from "#foundation/files/logger";
import { httpRequest } from "#foundation/http/request";
import { timeLimit } from "#foundation/lifecycle/abort";
import type { Secret } from "#foundation/secrets/secret";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";

/** A rollout as people read it, with its reward. */
export interface ShownRollout {
  readonly text: string;
  readonly score: number;
}

export interface MetricsReport {
  readonly step: number;
  readonly metrics: Readonly<Record<string, number>>;
  readonly rollouts: readonly ShownRollout[];
}

/** Where the curves of a run are drawn. It never disturbs the run: what cannot be sent is sent with the next report. */
export interface MetricsSink extends AsyncDisposable {
  report(report: MetricsReport): Promise<void>;
}

export interface WandbOptions {
  readonly baseUrl: string;
  readonly apiKey: Secret;
  readonly project: string;
  /** The account's own when absent. */
  readonly entity?: string | undefined;
  readonly group?: string | undefined;
  readonly name: string;
  /** Before the name of each figure of the run's own. */
  readonly prefix: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const answerMs = 20_000;
const maxAnswerBytes = 1024 * 1024;
const maxWaitingLines = 10_000;

/** The name of a run that begins now: day and six letters tell runs of the same environment apart. */
export function wandbRunName(name: string, now: Date): string {
  const letters = [...randomBytes(6)].map((byte) => String.fromCharCode(97 + (byte % 26))).join("");
  return `${name}-${now.toISOString().slice(0, 10)}-${letters}`;
}

/** A run at Weights & Biases; undefined, with one warning, when the service does not take it. */
export async function openWandb(options: WandbOptions, signal: AbortSignal): Promise<MetricsSink | undefined> {
  const run = randomBytes(4).toString("hex");
  const { project, entity = null, group = null, name: displayName, config, logger } = options;
  const settings = Object.fromEntries(Object.entries(config).map(([key, value]) => [key, { value }]));
  const answer = await ask(options, upsertRun, {
    ...{ name: run, project, entity, groupName: group, displayName, config: JSON.stringify(settings) },
  });
  signal.throwIfAborted();
  const address = answer.ok ? runAddress(answer.value, run) : undefined;
  if (address === undefined) {
    const error = answer.ok ? "it named no project" : answer.error;
    logger.warn("metrics are not sent to Weights & Biases", { error });
    return undefined;
  }
  return new WandbRun(options, address);
}

interface RunAddress {
  readonly entity: string;
  readonly project: string;
  readonly run: string;
}

class WandbRun implements MetricsSink {
  readonly #options: WandbOptions;
  readonly #address: RunAddress;
  readonly #startedMs: number;
  #lines: string[] = [];
  #summary: Readonly<Record<string, unknown>> = {};
  #sentLines = 0;
  #isWarned = false;

  constructor(options: WandbOptions, address: RunAddress) {
    this.#options = options;
    this.#address = address;
    this.#startedMs = options.clock.now();
  }

  async report({ step, metrics, rollouts }: MetricsReport): Promise<void> {
    const nowMs = this.#options.clock.now();
    const table = rollouts.length === 0 ? {} : await this.#table(step, rollouts);
    const times = { _step: step, _timestamp: nowMs / 1000, _runtime: (nowMs - this.#startedMs) / 1000 };
    const line = { ...metrics, ...table, ...times };
    this.#summary = { ...this.#summary, ...line };
    this.#lines = [...this.#lines, JSON.stringify(line)].slice(-maxWaitingLines);
    await this.#send({});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#send({ complete: true, exitcode: 0 });
  }

  async #send(end: Readonly<Record<string, unknown>>): Promise<void> {
    const content = this.#lines;
    const history = { "wandb-history.jsonl": { offset: this.#sentLines, content } };
    const summary = { "wandb-summary.json": { offset: 0, content: [JSON.stringify(this.#summary)] } };
    const files = content.length === 0 ? {} : { ...history, ...summary };
    const { entity, project, run } = this.#address;
    const path = [entity, project, run].map(encodeURIComponent).join("/");
    const sent = await post(this.#options, `/files/${path}/file_stream`, { files, ...end });
    if (sent.ok) {
      this.#sentLines += content.length;
      this.#lines = [];
    } else this.#warn(sent.error);
  }

  /** Rollouts to read, in a file of their own that the line points to. */
  async #table(step: number, rollouts: readonly ShownRollout[]): Promise<Readonly<Record<string, unknown>>> {
    const data = rollouts.map(({ text, score }) => [text, score]);
    const content = JSON.stringify({ columns: ["text", "score"], data });
    const sha256 = createHash("sha256").update(content).digest("hex");
    const path = `media/table/train/rollouts_${step}_${sha256.slice(0, 20)}.table.json`;
    const { entity, project, run } = this.#address;
    const created = await ask(this.#options, createFiles, { entity, project, run, files: [path] });
    const target = created.ok ? uploadUrl(created.value) : undefined;
    const { baseUrl } = this.#options;
    const put =
      target === undefined
        ? ({ ok: false, error: created.ok ? "no address to send the rollouts to" : created.error } as const)
        : await exchange({ url: new URL(target, baseUrl).href, method: "PUT", body: content });
    if (!put.ok) {
      this.#warn(put.error);
      return {};
    }
    const size = Buffer.byteLength(content);
    const file = { _type: "table-file", path, sha256, size, ncols: 2, nrows: rollouts.length };
    return { [`${this.#options.prefix}train/rollouts`]: file };
  }

  #warn(error: string): void {
    const { logger } = this.#options;
    if (!this.#isWarned) logger.warn("Weights & Biases did not take metrics; they are sent again later", { error });
    this.#isWarned = true;
  }
}

const upsertRun = `mutation UpsertBucket($name: String, $project: String, $entity: String, $groupName: String, $displayName: String, $config: JSONString) {
  upsertBucket(input: {name: $name, modelName: $project, entityName: $entity, groupName: $groupName, displayName: $displayName, config: $config}) {
    bucket { name project { name entity { name } } }
  }
}`;

const createFiles = `mutation CreateRunFiles($entity: String!, $project: String!, $run: String!, $files: [String!]!) {
  createRunFiles(input: {entityName: $entity, projectName: $project, runName: $run, files: $files}) {
    files { name uploadUrl }
  }
}`;

type Answer = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: string };

async function ask(options: WandbOptions, query: string, variables: unknown): Promise<Answer> {
  const answer = await post(options, "/graphql", { query, variables });
  if (!answer.ok) return answer;
  const errors = at(answer.value, "errors");
  if (Array.isArray(errors)) return { ok: false, error: String(at(errors[0], "message")).slice(0, 300) };
  return { ok: true, value: at(answer.value, "data") };
}

function post({ baseUrl, apiKey }: WandbOptions, path: string, body: unknown): Promise<Answer> {
  const authorization = `Basic ${Buffer.from(`api:${apiKey.reveal()}`).toString("base64")}`;
  const url = `${baseUrl.replace(/\/+$/, "")}${path}`;
  return exchange({ url, method: "POST", body: JSON.stringify(body), authorization });
}

interface Exchange {
  readonly url: string;
  readonly method: string;
  readonly body: string;
  readonly authorization?: string;
}

async function exchange({ url, method, body, authorization }: Exchange): Promise<Answer> {
  const signal = timeLimit(answerMs);
  const headers = { "content-type": "application/json", ...defined({ authorization }) };
  const response = await httpRequest(url, {
    ...{ method, headers, body, signal, timeoutMs: answerMs, maxBodyBytes: maxAnswerBytes },
  });
  if (response.kind === "failure") return { ok: false, error: response.failure.message };
  const text = await response.text();
  if (text.kind === "failure") return { ok: false, error: text.failure.message };
  if (response.status >= 300) return { ok: false, error: `it answered ${response.status}` };
  const parsed = parseJson(text.text);
  return { ok: true, value: parsed.ok ? parsed.value : undefined };
}

function runAddress(data: unknown, run: string): RunAddress | undefined {
  const project = at(data, "upsertBucket", "bucket", "project");
  const name = at(project, "name");
  const entity = at(project, "entity", "name");
  return typeof name === "string" && typeof entity === "string" ? { entity, project: name, run } : undefined;
}

function uploadUrl(data: unknown): string | undefined {
  const files = at(data, "createRunFiles", "files");
  const url = Array.isArray(files) ? at(files[0], "uploadUrl") : undefined;
  return typeof url === "string" ? url : undefined;
}

function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value);
}
