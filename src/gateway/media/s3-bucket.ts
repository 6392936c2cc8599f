import { Readable } from "node:stream";
import { UserError } from "#foundation/errors";
import { type AwsKeys, sha256, signAws } from "#foundation/http/aws-signature";
import type { Fetch } from "#foundation/http/fetch";
import type { Clock } from "#foundation/time/clock";
import type { Bucket } from "./bucket.ts";

export interface S3Settings {
  readonly bucket: string;
  readonly region: string;
  /** Empty: Amazon's own. */
  readonly endpoint: string;
  readonly prefix: string;
}

export interface S3Deps {
  readonly settings: S3Settings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fetch: Fetch;
  readonly clock: Clock;
}

const longestRefusal = 2_000;

/** A bucket of S3, or of what speaks its language (MinIO, R2, Garage). Every request is signed with Signature Version 4. */
export class S3Bucket implements Bucket {
  readonly isShared = true;
  readonly #deps: S3Deps;
  readonly #keys: AwsKeys;
  readonly #base: string;

  constructor(deps: S3Deps) {
    const { bucket, region, endpoint, prefix } = deps.settings;
    if (bucket === "")
      throw new UserError("Files of messages are to go through S3, and no bucket is named.", {
        hint: "Set gateway.s3.bucket, or gateway.media_store: local",
      });
    this.#deps = deps;
    this.#keys = keysOf(deps.env);
    const service = endpoint === "" ? `https://s3.${region}.amazonaws.com` : endpoint.replace(/\/+$/u, "");
    const segments = [bucket, ...prefix.split("/")].filter((segment) => segment !== "");
    this.#base = [service, ...segments.map((segment) => encodeURIComponent(segment))].join("/");
  }

  async put(name: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    await accepted(await this.#request("PUT", name, { body: bytes, signal }));
  }

  async get(name: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array> | undefined> {
    const response = await this.#request("GET", name, { signal });
    if (response.status === 404) {
      await response.body?.cancel();
      return undefined;
    }
    const { body } = await accepted(response);
    return body ?? Readable.from([]);
  }

  async remove(name: string, signal: AbortSignal): Promise<void> {
    const response = await this.#request("DELETE", name, { signal });
    await (await accepted(response)).body?.cancel();
  }

  async #request(
    method: string,
    name: string,
    { body = new Uint8Array(), signal }: { readonly body?: Uint8Array; readonly signal: AbortSignal },
  ): Promise<Response> {
    const { settings, fetch, clock } = this.#deps;
    const url = new URL(`${this.#base}/${encodeURIComponent(name)}`);
    const headers = { "x-amz-content-sha256": sha256(body) };
    const scope = { region: settings.region, service: "s3", nowMs: clock.now() };
    const signed = signAws({ method, url, headers, body }, this.#keys, scope);
    const init = { method, headers: { ...headers, ...signed }, signal };
    return await fetch(url, method === "PUT" ? { ...init, body: body as Uint8Array<ArrayBuffer> } : init);
  }
}

function keysOf(env: S3Deps["env"]): AwsKeys {
  const [accessKeyId = "", secretAccessKey = "", sessionToken = ""] = [
    env["AWS_ACCESS_KEY_ID"],
    env["AWS_SECRET_ACCESS_KEY"],
    env["AWS_SESSION_TOKEN"],
  ].map((one) => one?.trim());
  if (accessKeyId === "" || secretAccessKey === "")
    throw new UserError("Files of messages are to go through S3, and its keys are not set.", {
      hint: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or gateway.media_store: local",
    });
  return { accessKeyId, secretAccessKey, ...(sessionToken === "" ? {} : { sessionToken }) };
}

/** The service says in XML why it refused. */
async function accepted(response: Response): Promise<Response> {
  if (response.status >= 200 && response.status < 300) return response;
  const text = (await response.text()).slice(0, longestRefusal);
  const code = /<Code>([\w.-]{1,80})<\/Code>/u.exec(text)?.[1];
  throw new Error(`the media store answered ${response.status}${code === undefined ? "" : ` (${code})`}`);
}
