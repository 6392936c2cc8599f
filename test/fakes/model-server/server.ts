import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CacheLedger } from "./cache/ledger.ts";
import { type Prompt, readPrompt } from "./cache/prompt-blocks.ts";
import { deliver, holdOpen } from "./deliver.ts";
import { planDelivery } from "./delivery-plan.ts";
import { Gate } from "./gate.ts";
import { IdSource } from "./ids.ts";
import { joinHeaders, readBody } from "./incoming.ts";
import { Issued } from "./issued.ts";
import { Milestones } from "./milestones.ts";
import type { ModelServerOptions } from "./options.ts";
import { type ProbeRecord, Probes } from "./probes.ts";
import { protocolOf, type ReceivedRequest, readRequest } from "./received-request.ts";
import { render } from "./render/index.ts";
import type { PromptUsage, RenderContext } from "./render/wire-reply.ts";
import type { Reply } from "./reply.ts";
import { Script, type ScriptEntry } from "./script.ts";
import { openrouterFields } from "./strict/chat.ts";
import { failureFor, Inspector, type Rejection } from "./strict/index.ts";
import type { Subject } from "./strict/rule.ts";

const defaultContextWindow = 128_000;

/** Starts a fake model provider on 127.0.0.1. The caller disposes it. */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const server = new ModelServer(options);
  await server.listen(options.port ?? 0);
  return server;
}

export class ModelServer implements AsyncDisposable {
  /** Every model call, in the order of arrival, refused ones included. */
  readonly requests: ReceivedRequest[] = [];
  readonly rejections: Rejection[] = [];
  readonly ledger: CacheLedger;

  readonly #options: ModelServerOptions;
  readonly #http: Server;
  readonly #clock: { now(): number };
  readonly #inspector: Inspector;
  readonly #probes: Probes;
  readonly #script = new Script();
  readonly #ids = new IdSource();
  readonly #issued = new Issued();
  readonly #gate = new Gate();
  readonly #received = new Milestones<ReceivedRequest>();
  readonly #left = new Milestones<ReceivedRequest>();
  readonly #answered = new Milestones<ReceivedRequest>();
  readonly #mistakes: unknown[] = [];
  #url = "";

  constructor(options: ModelServerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? Date;
    this.#inspector = new Inspector(options.strict ?? false);
    this.#probes = new Probes({
      models: options.models ?? [{ id: "fake-model" }],
      dialect: options.chatDialect ?? "openai",
      ...(options.localServer === undefined ? {} : { local: options.localServer }),
      ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
    });
    this.ledger = new CacheLedger({ minimumTokens: options.cacheMinimumTokens ?? 1024 });
    this.#http = createServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 }, (request, response) => {
      void this.#serve(request, response);
    });
  }

  get url(): string {
    return this.#url;
  }

  get chatBaseUrl(): string {
    return `${this.#url}/v1`;
  }

  get responsesBaseUrl(): string {
    return `${this.#url}/v1`;
  }

  /** Clients of this wire append `/v1/messages` themselves. */
  get anthropicBaseUrl(): string {
    return this.#url;
  }

  /** Requests that were no model calls: model lists, versions, whatever else was asked. */
  get probes(): readonly ProbeRecord[] {
    return this.#probes.records;
  }

  /** Appends replies; each answers one request, in order. A function is asked when its turn comes. */
  script(...entries: readonly ScriptEntry[]): this {
    this.#script.append(entries);
    return this;
  }

  /** Answers whatever the script does not, any number of times. */
  otherwise(entry: ScriptEntry): this {
    this.#script.setFallback(entry);
    return this;
  }

  /** Asked before the script; undefined passes the request on to it. */
  onRequest(answer: (request: ReceivedRequest) => Reply | undefined): this {
    this.#script.setListener(answer);
    return this;
  }

  /** Serves another endpoint, for example `serve("GET /v1/credits", json(200, {...}))`. */
  serve(question: string, reply: Reply): this {
    this.#probes.serve(question, reply);
    return this;
  }

  /** Resolves when the n-th model call (1 is the first) has arrived. */
  received(number: number): Promise<ReceivedRequest> {
    return this.#received.wait(number);
  }

  /** Resolves when the client of the n-th call hung up; rejects when the call was answered in full or cut by us. */
  clientLeft(number: number): Promise<ReceivedRequest> {
    return this.#left.wait(number);
  }

  /** Resolves when the n-th call has been answered in full. */
  answered(number: number): Promise<ReceivedRequest> {
    return this.#answered.wait(number);
  }

  /** Lets `slow` replies take so many steps; Infinity opens the gate for good. */
  release(steps = 1): void {
    this.#gate.release(steps);
  }

  /** Throws unless every request was accepted and answered by the script, and the script is used up. */
  assertClean(): void {
    const problems = [
      ...this.rejections.map(
        ({ requestNumber, rule, message }) => `request ${requestNumber} broke ${rule}: ${message}`,
      ),
      ...this.#script.unanswered.map((text) => `no reply for ${text}`),
      ...(this.#script.remaining > 0 ? [`${this.#script.remaining} scripted replies were not used`] : []),
      ...this.#mistakes.map((mistake) => `a handler failed: ${String(mistake)}`),
    ];
    if (problems.length > 0) throw new Error(`The model server is not clean:\n- ${problems.join("\n- ")}`);
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#http.once("error", reject);
      this.#http.listen(port, "127.0.0.1", () => {
        this.#http.off("error", reject);
        resolve();
      });
    });
    const address = this.#http.address() as AddressInfo;
    this.#url = `http://127.0.0.1:${address.port}`;
  }

  /** Ends every connection, also hanging ones; whoever still waits is told. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Error("The model server was closed.");
    for (const milestones of [this.#received, this.#left, this.#answered]) milestones.close(closed);
    if (!this.#http.listening) return;
    await new Promise<void>((resolve) => {
      this.#http.close(() => resolve());
      this.#http.closeAllConnections();
    });
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const left = leftSignal(response);
      const url = new URL(incoming.url ?? "/", this.#url);
      const body = await readBody(incoming, this.#options.maxBodyBytes ?? 32 * 1024 * 1024);
      if (body === undefined) return;
      const headers = joinHeaders(incoming);
      const protocol = incoming.method === "POST" ? protocolOf(url.pathname) : undefined;
      if (protocol === undefined || this.#probes.isServed(`${incoming.method} ${url.pathname}`)) {
        const wire = this.#probes.answer({ method: incoming.method ?? "GET", url, headers, bytes: body.bytes });
        await deliver(planDelivery(wire.wire, wire.delivery), { response, left, gate: this.#gate });
        return;
      }
      const request = readRequest({
        number: this.requests.length + 1,
        protocol,
        url,
        headers,
        rawBytes: body.bytes,
        isTooLarge: body.isTooLarge,
        receivedAt: this.#clock.now(),
      });
      this.requests.push(request);
      this.#follow(request, response);
      this.#received.reach(request.number, request);
      await this.#answer(request, response, left);
    } catch (error) {
      this.#confess(error, response);
    }
  }

  async #answer(request: ReceivedRequest, response: ServerResponse, left: AbortSignal): Promise<void> {
    const prompt = readPrompt(request);
    const reply = this.#refusal(request, prompt) ?? this.#script.next(request);
    const wire = render(reply, this.#renderContext(request, prompt, reply));
    if (wire === undefined) return holdOpen(left);
    const plan = planDelivery(wire, reply.delivery);
    if (plan.ending === "close" || plan.ending === "reset")
      this.#left.miss(request.number, new Error(`The server itself cut the connection of request ${request.number}.`));
    await deliver(plan, { response, left, gate: this.#gate });
  }

  #refusal(request: ReceivedRequest, prompt: Prompt): Reply | undefined {
    const { apiKey, contextWindow, chatDialect } = this.#options;
    const isRouter = chatDialect === "openrouter" && request.protocol === "chat";
    const subject: Subject = {
      request,
      body: request.body,
      issued: this.#issued,
      extraFields: [...this.#inspector.extraFields, ...(isRouter ? openrouterFields : [])],
      extraMessageFields: this.#inspector.extraMessageFields,
      promptTokens: prompt.tokens,
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(contextWindow === undefined ? {} : { contextWindow }),
    };
    const found = this.#inspector.inspect(subject);
    if (found === undefined) return undefined;
    this.rejections.push({ requestNumber: request.number, rule: found.rule.id, message: found.complaint.message });
    return { content: failureFor(found.complaint), delivery: {} };
  }

  #renderContext(request: ReceivedRequest, prompt: Prompt, reply: Reply): RenderContext {
    return {
      request,
      dialect: this.#options.chatDialect ?? "openai",
      ids: this.#ids,
      requestId: this.#ids.take("req_"),
      issued: this.#issued,
      nowMs: this.#clock.now(),
      contextWindow: this.#options.contextWindow ?? defaultContextWindow,
      promptTokens: prompt.tokens,
      promptUsage: this.#charge(request, prompt, reply),
    };
  }

  /** Only what a model read counts: errors and silence neither cost nor fill the cache. */
  #charge(request: ReceivedRequest, prompt: Prompt, { content }: Reply): PromptUsage {
    const isRead = content.kind === "message" || (content.kind === "raw" && content.status < 400);
    if (!isRead) return { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 };
    const { uncached, cacheRead, cacheWrite, cacheWrite1h } = this.ledger.record(request, prompt, this.#clock.now());
    return { input: uncached, cacheRead, cacheWrite, cacheWrite1h };
  }

  #follow(request: ReceivedRequest, response: ServerResponse): void {
    const { number } = request;
    response.once("finish", () => {
      this.#answered.reach(number, request);
      this.#left.miss(number, new Error(`Request ${number} was answered in full; its client did not leave.`));
    });
    response.once("close", () => {
      if (response.writableFinished) return;
      this.#left.reach(number, request);
      this.#answered.miss(number, new Error(`Request ${number} ended before it was answered in full.`));
    });
  }

  /** A handler of the test threw: the client gets a 500 that says so, and `assertClean` repeats it. */
  #confess(error: unknown, response: ServerResponse): void {
    this.#mistakes.push(error);
    if (response.headersSent) {
      response.socket?.destroy();
      return;
    }
    response.writeHead(500, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: `The model server's handler failed: ${String(error)}` } }));
  }
}

function leftSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}
