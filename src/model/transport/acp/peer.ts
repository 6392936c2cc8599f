import type { Readable, Writable } from "node:stream";
import type { Logger } from "#foundation/files/logger";
import { Channel } from "#foundation/lifecycle/channel";
import { Deferred } from "#foundation/lifecycle/deferred";
import { isRecord, parseJson } from "#foundation/text/json";
import { readLines } from "#foundation/text/lines";
import { objectIn, objectsIn, textIn, type WireObject } from "../../protocols/shared/fields.ts";

/** The other side refused a request. */
export class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = "RpcError";
    this.code = code;
  }
}

/** The other side hung up. */
export class HungUpError extends Error {
  constructor() {
    super("the other side ended the conversation");
    this.name = "HungUpError";
  }
}

const methodNotFound = -32_601;

/**
 * JSON-RPC, one message per line, from the side of the client. Invariants:
 *
 * 1. Every request is settled: by its answer, or by what ended the conversation.
 * 2. Whatever the agent asks to be allowed is refused: tools are run by Hermes, behind its own approvals.
 * 3. A line that is no message changes nothing; programs print notices where none belong.
 */
export class AcpPeer {
  readonly #output: Writable;
  readonly #logger: Logger;
  readonly #pending = new Map<number, Deferred<WireObject>>();
  #nextId = 1;
  #ended: { readonly error: unknown } | undefined;
  /** What the agent tells while it works. Closed by whoever waits for the answer. */
  readonly updates = new Channel<WireObject>();

  constructor(output: Writable, logger: Logger) {
    this.#output = output;
    this.#logger = logger;
  }

  /** Reads until the other side ends. Never rejects: requests that are still open learn how it ended. */
  async listen(input: Readable): Promise<void> {
    try {
      for await (const line of readLines(input)) if (line.trim() !== "") this.#take(line);
      this.fail(new HungUpError());
    } catch (error) {
      this.fail(error);
    }
  }

  request(method: string, params: WireObject): Promise<WireObject> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended.error);
    const id = this.#nextId;
    this.#nextId += 1;
    const answer = new Deferred<WireObject>();
    this.#pending.set(id, answer);
    this.#send({ id, method, params });
    return answer.promise;
  }

  notify(method: string, params: WireObject): void {
    this.#send({ method, params });
  }

  /** Settles every open request with this; later ones fail the same way. */
  fail(error: unknown): void {
    this.#ended ??= { error };
    for (const answer of this.#pending.values()) answer.reject(error);
    this.#pending.clear();
  }

  #send(message: WireObject): void {
    if (!this.#output.writable) return;
    this.#output.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #take(line: string): void {
    const parsed = parseJson(line);
    if (!parsed.ok || !isRecord(parsed.value)) {
      this.#logger.debug("a line that is no message was passed over", { length: line.length });
      return;
    }
    const { id, method } = parsed.value;
    if (typeof method !== "string") this.#settle(parsed.value);
    else if (id === undefined || id === null) this.#note(method, objectIn(parsed.value["params"]));
    else this.#refuse(id, method, objectIn(parsed.value["params"]));
  }

  #settle(message: WireObject): void {
    const id = message["id"];
    const answer = typeof id === "number" ? this.#pending.get(id) : undefined;
    if (answer === undefined || typeof id !== "number") return;
    this.#pending.delete(id);
    if (!isRecord(message["error"])) {
      answer.resolve(objectIn(message["result"]));
      return;
    }
    const { code, message: words } = message["error"];
    answer.reject(
      new RpcError(typeof code === "number" ? code : 0, textIn(words).slice(0, 2_000) || "no reason given"),
    );
  }

  #note(method: string, params: WireObject): void {
    if (method === "session/update") this.updates.push(objectIn(params["update"]));
  }

  #refuse(id: unknown, method: string, params: WireObject): void {
    if (method === "session/request_permission") {
      this.#send({ id, result: { outcome: rejection(objectsIn(params["options"])) } });
      return;
    }
    this.#send({ id, error: { code: methodNotFound, message: `${method} is not offered here` } });
  }
}

/** The option that says no, this time rather than for ever; without one the question counts as withdrawn. */
function rejection(options: readonly WireObject[]): WireObject {
  const no =
    options.find((option) => option["kind"] === "reject_once") ??
    options.find((option) => option["kind"] === "reject_always");
  const optionId = textIn(no?.["optionId"]);
  return optionId === "" ? { outcome: "cancelled" } : { outcome: "selected", optionId };
}
