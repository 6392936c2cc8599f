import { dirname } from "node:path";
import { defined } from "#foundation/defined";
import { ensureDir, readTextFile, withFileLock, writeFileAtomic } from "#foundation/files/files";
import { Secret } from "#foundation/secrets/secret";
import { isRecord, parseJson } from "#foundation/text/json";
import type { AuthFile } from "./auth-file.ts";
import { loginOf, poolOf, withLogin, withPool } from "./auth-state.ts";

/** A login as every flow sees it, wherever it is stored. */
export interface StoredLogin {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly expiresAtMs?: number;
  /** What else stands in the same record. */
  readonly extra: Readonly<Record<string, unknown>>;
}

export interface SlotAccess {
  read(): Promise<StoredLogin | undefined>;
  write(login: StoredLogin): Promise<void>;
}

/** One place that holds one login. */
export interface LoginSlot {
  read(signal: AbortSignal): Promise<StoredLogin | undefined>;
  /** Nobody else changes the login meanwhile, in this process or another. */
  exclusively<T>(work: (access: SlotAccess) => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** Between the record a program stores and a {@link StoredLogin}. */
export interface LoginCodec {
  parse(record: Readonly<Record<string, unknown>>): StoredLogin | undefined;
  /** Keeps every field of `before` that it does not set. */
  format(login: StoredLogin, before: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}

/** `providers.<provider>` of the store. */
export function storeSlot(file: AuthFile, provider: string, codec: LoginCodec): LoginSlot {
  const parse = (record: Readonly<Record<string, unknown>> | undefined): StoredLogin | undefined =>
    record === undefined ? undefined : codec.parse(record);
  return {
    read: async (signal) => parse(loginOf(await file.read(signal), provider)),
    exclusively: (work, signal) =>
      file.exclusively(
        ({ read, write }) =>
          work({
            read: async () => parse(loginOf(await read(), provider)),
            write: async (login) => {
              const state = await read();
              await write(withLogin(state, provider, codec.format(login, loginOf(state, provider) ?? {})));
            },
          }),
        signal,
      ),
  };
}

/** One entry of a provider's pool. */
export function poolSlot(file: AuthFile, provider: string, entryId: string): LoginSlot {
  const parse = (entries: ReturnType<typeof poolOf>): StoredLogin | undefined => {
    const entry = entries.find((one) => one.id === entryId);
    if (entry?.accessToken === undefined) return undefined;
    return {
      accessToken: entry.accessToken.reveal(),
      ...(entry.refreshToken === undefined ? {} : { refreshToken: entry.refreshToken.reveal() }),
      ...defined({ expiresAtMs: entry.expiresAtMs }),
      extra: entry.rest,
    };
  };
  return {
    read: async (signal) => parse(poolOf(await file.read(signal), provider)),
    exclusively: (work, signal) =>
      file.exclusively(
        ({ read, write }) =>
          work({
            read: async () => parse(poolOf(await read(), provider)),
            write: async (login) => {
              const state = await read();
              const entries = poolOf(state, provider).map((entry) =>
                entry.id === entryId
                  ? {
                      ...entry,
                      accessToken: new Secret(login.accessToken),
                      ...(login.refreshToken === undefined ? {} : { refreshToken: new Secret(login.refreshToken) }),
                      ...defined({ expiresAtMs: login.expiresAtMs }),
                      rest: { ...entry.rest, ...login.extra },
                    }
                  : entry,
              );
              await write(withPool(state, provider, entries));
            },
          }),
        signal,
      ),
  };
}

const maxLoginBytes = 1_000_000;
const lockTimeoutMs = 30_000;

/** A JSON file of its own: another program's, or one of ours beside the store. Read afresh every time. */
export function fileSlot(path: string, codec: LoginCodec): LoginSlot {
  const readRecord = async (): Promise<Readonly<Record<string, unknown>>> => {
    const text = await readTextFile(path, { maxBytes: maxLoginBytes });
    const parsed = text === undefined ? undefined : parseJson(text);
    return parsed?.ok === true && isRecord(parsed.value) ? parsed.value : {};
  };
  return {
    read: async () => codec.parse(await readRecord()),
    exclusively: (work, signal) =>
      withFileLock(
        `${path}.lock`,
        () =>
          work({
            read: async () => codec.parse(await readRecord()),
            write: async (login) => {
              await ensureDir(dirname(path), 0o700);
              const text = JSON.stringify(codec.format(login, await readRecord()), undefined, 2);
              await writeFileAtomic(path, `${text}\n`, { mode: 0o600 });
            },
          }),
        { signal, timeoutMs: lockTimeoutMs },
      ),
  };
}
