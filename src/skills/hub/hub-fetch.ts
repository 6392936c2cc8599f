import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { UserError } from "#foundation/errors";
import { readTextFile, writeFileAtomic } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import type { SafeFetch } from "#tools";

export interface HubFetchDeps {
  readonly fetch: SafeFetch;
  readonly home: HermesHome;
  readonly clock: Clock;
}

export interface GetOptions {
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxBytes?: number;
  /** Headers carry a credential: no redirect is followed with them. */
  readonly hasCredential?: boolean;
}

const timeoutMs = 30_000;
const indexLifetimeMs = 60 * 60 * 1_000;
const maxIndexBytes = 8 * 1_048_576;

/** Reads from hubs: bounded, only from the public web, and lists at most once an hour. */
export class HubFetch {
  readonly #deps: HubFetchDeps;

  constructor(deps: HubFetchDeps) {
    this.#deps = deps;
  }

  /** The bytes at an address; undefined when the server says there is nothing. Every other failure is a {@link UserError}. */
  async bytes(url: string, options: GetOptions): Promise<Uint8Array | undefined> {
    const page = await this.#deps.fetch(url, {
      maxBytes: options.maxBytes ?? maxIndexBytes,
      timeoutMs,
      signal: options.signal,
      headers: { "user-agent": "hermes", ...options.headers },
      ...(options.hasCredential === true ? { maxRedirects: 0 } : {}),
    });
    const host = hostOf(url);
    if (page.kind !== "page")
      throw new UserError(`Could not read from ${host}: ${page.reason}.`, {
        code: "hub_unreachable",
        data: { kind: page.kind },
      });
    if (page.status === 404 || page.status === 410) return undefined;
    if (page.status === 403 || page.status === 429)
      throw new UserError(`${host} refused the request (status ${page.status}); its limit may be used up.`, {
        hint: "Wait a while. For GitHub, set GITHUB_TOKEN to raise the limit.",
        code: "hub_limited",
      });
    if (page.status < 200 || page.status >= 300)
      throw new UserError(`${host} answered with status ${page.status}.`, { code: "hub_failed" });
    return page.body;
  }

  async json(url: string, options: GetOptions): Promise<unknown> {
    const bytes = await this.bytes(url, options);
    return bytes === undefined ? undefined : readJson(new TextDecoder().decode(bytes), url);
  }

  /** Like {@link json}, remembered on disk for an hour. */
  async index(url: string, options: GetOptions): Promise<unknown> {
    const folder = this.#deps.home.at("skills", ".hub", "index-cache");
    const file = `${folder}/${createHash("sha256").update(url).digest("hex").slice(0, 32)}.json`;
    const known = await this.#cached(file, url);
    if (known !== undefined) return known.value;
    const value = await this.json(url, options);
    if (value === undefined) return undefined;
    await mkdir(folder, { recursive: true });
    await writeFileAtomic(file, JSON.stringify({ url, atMs: this.#deps.clock.now(), value }), { fsync: false });
    return value;
  }

  async #cached(file: string, url: string): Promise<{ readonly value: unknown } | undefined> {
    const text = await readTextFile(file, { maxBytes: 4 * maxIndexBytes });
    const parsed = text === undefined ? undefined : parseJson(text);
    if (parsed?.ok !== true || !isRecord(parsed.value)) return undefined;
    const { url: of, atMs, value } = parsed.value;
    if (of !== url || typeof atMs !== "number") return undefined;
    const ageMs = this.#deps.clock.now() - atMs;
    return ageMs >= 0 && ageMs < indexLifetimeMs ? { value } : undefined;
  }
}

function readJson(text: string, url: string): unknown {
  const parsed = parseJson(text);
  if (parsed.ok) return parsed.value;
  throw new UserError(`${hostOf(url)} answered with something that is not JSON.`, { code: "hub_failed" });
}

export function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    throw new UserError(`${JSON.stringify(url)} is not a web address.`, { code: "hub_address_invalid" });
  }
}
