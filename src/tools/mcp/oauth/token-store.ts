import { createHash } from "node:crypto";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { StoredOAuthClientInformation, StoredOAuthTokens } from "@modelcontextprotocol/client";
import { ensureDir, readTextFile, writeFileAtomic } from "#foundation/files/files";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";

const maxFileBytes = 1024 * 1024;
/** A token this close to its end is renewed before it is used. */
const renewBeforeMs = 60_000;

export type KeptTokens = StoredOAuthTokens & { readonly expires_at?: number };

/** Tokens and client registrations, a pair of files per server, readable by the owner only. */
export class TokenStore {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #cache = new Map<string, { readonly mtimeMs: number; readonly value: unknown }>();

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  async tokens(server: string): Promise<KeptTokens | undefined> {
    const value = await this.#read(this.#path(server, ".json"));
    return isTokens(value) ? value : undefined;
  }

  /** Stores when the token ends as a moment: a duration means nothing to whoever reads it later. */
  async saveTokens(server: string, tokens: StoredOAuthTokens): Promise<void> {
    const seconds = tokens.expires_in;
    const expiresAt = seconds === undefined ? {} : { expires_at: Math.floor(this.#clock.now() / 1000) + seconds };
    await this.#write(this.#path(server, ".json"), { ...tokens, ...expiresAt });
  }

  isStale(tokens: KeptTokens): boolean {
    return tokens.expires_at !== undefined && tokens.expires_at * 1000 - this.#clock.now() < renewBeforeMs;
  }

  async client(server: string): Promise<StoredOAuthClientInformation | undefined> {
    const value = await this.#read(this.#path(server, ".client.json"));
    return isClient(value) ? value : undefined;
  }

  async saveClient(server: string, client: StoredOAuthClientInformation): Promise<void> {
    await this.#write(this.#path(server, ".client.json"), client);
  }

  async forget(server: string, what: "tokens" | "client"): Promise<void> {
    const path = this.#path(server, what === "tokens" ? ".json" : ".client.json");
    this.#cache.delete(path);
    await rm(path, { force: true });
  }

  /** Another process may have renewed them; the file's time tells. */
  async #read(path: string): Promise<unknown> {
    const mtimeMs = await stat(path).then(
      (found) => found.mtimeMs,
      () => undefined,
    );
    if (mtimeMs === undefined) return undefined;
    const held = this.#cache.get(path);
    if (held?.mtimeMs === mtimeMs) return held.value;
    const text = await readTextFile(path, { maxBytes: maxFileBytes });
    const parsed = parseJson(text ?? "");
    const value = parsed.ok ? parsed.value : undefined;
    this.#cache.set(path, { mtimeMs, value });
    return value;
  }

  async #write(path: string, value: unknown): Promise<void> {
    await ensureDir(this.#folder, 0o700);
    await writeFileAtomic(path, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    this.#cache.delete(path);
  }

  #path(server: string, ending: string): string {
    const plain = server.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 80);
    const name = plain === server ? plain : `${plain}-${createHash("sha256").update(server).digest("hex").slice(0, 8)}`;
    return join(this.#folder, `${name}${ending}`);
  }
}

function isTokens(value: unknown): value is KeptTokens {
  return isRecord(value) && typeof value["access_token"] === "string" && typeof value["token_type"] === "string";
}

function isClient(value: unknown): value is StoredOAuthClientInformation {
  return isRecord(value) && typeof value["client_id"] === "string";
}
