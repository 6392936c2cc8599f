import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import { quietly } from "#foundation/files/quietly";
import { isAbort } from "#foundation/lifecycle/abort";
import { byteSize } from "#foundation/text/figures";
import { isRecord } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import type { Store } from "#store";
import type { Attachment } from "../platform/inbound.ts";
import type { Connection } from "../platform/platform.ts";
import type { Bucket } from "./bucket.ts";

/** A file that another process can get at: through a connection that it has, or because it lies on its machine. */
export type Wanted =
  | {
      readonly kind: "attachment";
      readonly platform: string;
      readonly account: string;
      readonly attachment: Attachment;
    }
  | { readonly kind: "file"; readonly machine: string; readonly file: string };

type Request =
  | { readonly state: "wanted"; readonly wanted: Wanted; readonly by: string }
  | { readonly state: "there" }
  | { readonly state: "failed"; readonly why: string };

export interface ExchangeDeps {
  readonly store: Pick<Store, "documents">;
  readonly bucket: Bucket;
  /** Names the disk that paths of this process are on. */
  readonly machine: string;
  connection(platform: string, account: string): Pick<Connection, "fetchAttachment"> | undefined;
  /** The bytes of a file of this machine that may leave it. */
  read(file: string, signal: AbortSignal): Promise<Uint8Array>;
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

const kind = "gateway-media";
const askEveryMs = 250;
const lookEveryMs = 500;
const wantedMs = 120_000;
const mostRequests = 1_000;

/**
 * Brings files of messages from the process that can get at them to the one that needs them. Who needs one says so in
 * the store; who can get at it leaves it in the bucket and says that it is there, or why it is not. A file is fetched
 * when somebody works with its message, so nothing of strangers is, and a process that dies on the way is asked again.
 */
export class MediaExchange {
  readonly #deps: ExchangeDeps;
  readonly #busy = new Map<string, Promise<void>>();

  constructor(deps: ExchangeDeps) {
    this.#deps = deps;
  }

  get machine(): string {
    return this.#deps.machine;
  }

  /** The bytes, once another process has left them. The name is the same for everybody who wants this file. */
  async *bring(name: string, wanted: Wanted, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { store, bucket, clock, machine, logger } = this.#deps;
    const request: Request = { state: "wanted", wanted, by: machine };
    await store.documents.put({ kind, key: name, value: request, expiresAtMs: clock.now() + wantedMs });
    try {
      let answer = await this.#answer(name);
      for (; answer?.state === "wanted"; answer = await this.#answer(name)) await clock.sleep(askEveryMs, signal);
      if (answer?.state === "failed") throw new Error(answer.why);
      const bytes = await bucket.get(name, signal);
      if (bytes === undefined) throw new Error("it is not in the media store");
      yield* bytes;
      await quietly("removing a file that was fetched", () => bucket.remove(name, signal), { logger });
    } finally {
      await quietly("removing a request", () => store.documents.remove(kind, name), { logger });
    }
  }

  /** Leaves what others want and this process can get at, until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { store, clock, logger } = this.#deps;
    await quietly("forgetting old requests", () => store.documents.trim(kind, mostRequests), { logger });
    while (!signal.aborted) {
      try {
        for (const { key, value } of await store.documents.list(kind, { limit: mostRequests }))
          this.#consider(key, value, signal);
      } catch (error) {
        logger.warn("what others want could not be read", { error: describe(error) });
      }
      await clock.sleep(lookEveryMs, signal).catch((error: unknown) => {
        if (!isAbort(error)) throw error;
      });
    }
    await Promise.all(this.#busy.values());
  }

  #consider(name: string, value: unknown, signal: AbortSignal): void {
    const request = readRequest(value);
    if (request?.state !== "wanted" || this.#busy.has(name)) return;
    const bytes = this.#source(request.wanted, signal);
    if (bytes === undefined) return;
    const work = this.#leave(name, request.by, { bytes, signal }).finally(() => this.#busy.delete(name));
    this.#busy.set(name, work);
  }

  /** Undefined: somebody else can get at it, or nobody. */
  #source(wanted: Wanted, signal: AbortSignal): (() => Promise<Uint8Array>) | undefined {
    const { machine, maxBytes } = this.#deps;
    if (wanted.kind === "file")
      return wanted.machine === machine ? () => this.#deps.read(wanted.file, signal) : undefined;
    const connection = this.#deps.connection(wanted.platform, wanted.account);
    if (connection?.fetchAttachment === undefined) return undefined;
    const fetching = () => connection.fetchAttachment?.(wanted.attachment, signal) ?? Promise.resolve([]);
    return async () => await collected(await fetching(), maxBytes);
  }

  async #leave(
    name: string,
    by: string,
    { bytes, signal }: { bytes(): Promise<Uint8Array>; readonly signal: AbortSignal },
  ): Promise<void> {
    const { store, bucket, clock, machine, logger } = this.#deps;
    const answer = async (value: Request): Promise<void> =>
      await store.documents.put({ kind, key: name, value, expiresAtMs: clock.now() + wantedMs });
    try {
      if (!bucket.isShared && by !== machine)
        return await answer({ state: "failed", why: "machines share files only with gateway.media_store: s3" });
      await bucket.put(name, await bytes(), signal);
      await answer({ state: "there" });
    } catch (error) {
      // At the end of this process another one can do it.
      if (signal.aborted) return;
      logger.warn("a file could not be left for another process", { error: describe(error) });
      await quietly("saying so", () => answer({ state: "failed", why: describe(error) }), { logger });
    }
  }

  async #answer(name: string): Promise<Request | undefined> {
    const found = await this.#deps.store.documents.get(kind, name);
    return found === undefined ? undefined : readRequest(found.value);
  }
}

/** A name of its own for what is sent; the same whenever it is tried again. */
export function exchangeName(key: string): string {
  return createHash("sha256").update(key).digest("hex").slice(0, 32);
}

/** Names the disk of this home: processes with the same one read the same files. */
export function machineOf(home: HermesHome): string {
  return `${hostname()}:${home.root}`;
}

function readRequest(value: unknown): Request | undefined {
  if (!isRecord(value)) return undefined;
  const { state, wanted, by, why } = value;
  if (state === "there") return { state };
  if (state === "failed") return { state, why: typeof why === "string" ? why : "it could not be fetched" };
  if (state !== "wanted" || !isRecord(wanted) || typeof by !== "string") return undefined;
  return { state, wanted: wanted as unknown as Wanted, by };
}

async function collected(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, maxBytes: number) {
  const chunks: Uint8Array[] = [];
  let count = 0;
  for await (const chunk of bytes) {
    count += chunk.byteLength;
    if (count > maxBytes) throw new Error(`it is larger than ${byteSize(maxBytes)}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
