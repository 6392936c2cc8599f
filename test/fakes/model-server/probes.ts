import { answerProbe, type ModelsCatalog } from "./models-endpoints.ts";
import { type WireReply, whole } from "./render/wire-reply.ts";
import type { Delivery, Reply } from "./reply.ts";
import { isObject, type WireObject } from "./wire-object.ts";

export interface ProbeRecord {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: WireObject;
  readonly status: number;
}

interface Question {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

interface Answer {
  readonly wire: WireReply;
  readonly delivery: Delivery;
}

/** Everything a client asks besides model calls. */
export class Probes {
  readonly records: ProbeRecord[] = [];
  readonly #catalog: ModelsCatalog;
  readonly #apiKey: string | undefined;
  readonly #served = new Map<string, Reply>();

  constructor({ apiKey, ...catalog }: ModelsCatalog & { readonly apiKey?: string }) {
    this.#catalog = catalog;
    this.#apiKey = apiKey;
  }

  serve(question: string, reply: Reply): void {
    if (reply.content.kind !== "raw")
      throw new Error("Only json(), raw(), html(), events() and emptyBody() can be served.");
    this.#served.set(question, reply);
  }

  isServed(question: string): boolean {
    return this.#served.has(question);
  }

  answer(question: Question): Answer {
    const { method, url, headers } = question;
    const body = bodyOf(question.bytes);
    const answer = this.#find(question, body);
    this.records.push({ method, path: url.pathname, headers, body, status: answer.wire.status });
    return answer;
  }

  #find({ method, url, headers }: Question, body: WireObject): Answer {
    const served = this.#served.get(`${method} ${url.pathname}`);
    if (served?.content.kind === "raw") {
      const { status, headers: ownHeaders, chunks } = served.content;
      const frames = chunks.map((bytes) => ({ kind: "bytes", bytes }) as const);
      return { wire: { status, headers: ownHeaders, frames }, delivery: served.delivery };
    }
    const found = answerProbe({ method, path: url.pathname, headers, body }, this.#catalog);
    if (found === undefined) return plain(404, error(`Invalid URL (${method} ${url.pathname})`, null));
    return this.#isKeyed(headers)
      ? plain(200, found)
      : plain(401, error("Incorrect API key provided.", "invalid_api_key"));
  }

  #isKeyed(headers: Readonly<Record<string, string>>): boolean {
    const input = headers["x-api-key"] ?? (headers.authorization ?? "").replace(/^Bearer /i, "");
    return this.#apiKey === undefined || input === this.#apiKey;
  }
}

function plain(status: number, value: unknown): Answer {
  return { wire: whole(status, value, {}), delivery: {} };
}

function error(message: string, code: string | null): WireObject {
  return { error: { message, type: "invalid_request_error", param: null, code } };
}

function bodyOf(bytes: Buffer): WireObject {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return isObject(value) ? value : {};
  } catch (problem) {
    if (problem instanceof SyntaxError) return {};
    throw problem;
  }
}
