import { HermesError, UserError } from "#foundation/errors";
import { errorTextIn } from "#foundation/http/ask";
import { httpRequest } from "#foundation/http/request";
import { isRecord, parseJson } from "#foundation/text/json";
import { type AuthScheme, type CredentialHandle, isLocalUrl, keyCredential, noCredential, scopeOf } from "#model";
import type { ServiceSettings } from "./settings.ts";

const timeoutMs = 20_000;
const maxAnswerBytes = 2_000_000;

/** A service refused, or cannot be reached. */
export class ServiceError extends HermesError {
  override readonly name: string = "ServiceError";
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message, { code: "memory_service_failed" });
    this.status = status;
  }
}

export interface ServiceApiOptions {
  readonly settings: ServiceSettings;
  /** The settings that hold the address and the key. */
  readonly address: string;
  readonly key: string;
  /** Where the service itself runs; a key goes there, and to what `.env` names, and to this machine. */
  readonly home: string;
  readonly scheme: AuthScheme;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where a service is, and the key that may go there and nowhere else. */
export class ServiceApi {
  readonly #base: string;
  readonly #credential: CredentialHandle;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(options: ServiceApiOptions) {
    const { settings, address, home } = options;
    this.#base = (settings.text(address) || home).replace(/\/+$/, "");
    this.#headers = options.headers ?? {};
    this.#credential = credentialFor(this.#base, options);
  }

  /** One exchange: `api.send("POST /v1/things", { a: 1 }, signal)`. Gives the JSON of the answer, undefined when it has none. */
  async send(route: string, body: unknown, signal: AbortSignal): Promise<unknown> {
    const [method = "GET", path = "/"] = route.split(" ", 2);
    const url = new URL(`${this.#base}${path}`);
    const text = body === undefined ? "" : JSON.stringify(body);
    const credential = await this.#credential.authorize({ method, url, headers: this.#headers, body: text }, signal);
    const answer = await httpRequest(url, {
      method,
      headers: {
        accept: "application/json",
        ...this.#headers,
        ...credential,
        ...(text === "" ? {} : { "content-type": "application/json" }),
      },
      ...(text === "" ? {} : { body: text }),
      signal,
      timeoutMs,
      maxBodyBytes: maxAnswerBytes,
      redirect: "error",
    });
    if (answer.kind === "failure") throw new ServiceError(answer.failure.message);
    const read = await answer.text();
    if (read.kind === "failure") throw new ServiceError(read.failure.message, answer.status);
    const parsed = parseJson(read.text);
    const value = parsed.ok ? parsed.value : undefined;
    if (answer.status < 200 || answer.status > 299)
      throw new ServiceError(
        `${method} ${path.split("?")[0]}: ${answer.status} ${reasonIn(value)}`.trim(),
        answer.status,
      );
    return value;
  }
}

/** `detail` is how FastAPI, which most of these services are built with, says what is wrong. */
function reasonIn(value: unknown): string {
  if (!isRecord(value)) return "";
  const { detail } = value;
  return typeof detail === "string" ? detail.slice(0, 300) : errorTextIn(value);
}

function credentialFor(base: string, { settings, address, key, home, scheme }: ServiceApiOptions): CredentialHandle {
  const found = settings.secret(key);
  if (found === undefined) return noCredential;
  const isOwn = scopeOf(base) === scopeOf(home);
  // A file of settings is not enough to send a key elsewhere: whoever can write it would have the key.
  if (!isOwn && settings.fromEnvironment(address) === undefined && !isLocalUrl(base))
    throw new UserError(`The key of ${found.source} is not sent to ${base}, which only a file of settings names.`, {
      code: "key_scope_violation",
      hint: "Write the address into .env, beside the key.",
    });
  const scope = scopeOf(base);
  return keyCredential({ id: key, ...found, scheme, allowedHosts: scope === undefined ? [] : [scope] });
}
