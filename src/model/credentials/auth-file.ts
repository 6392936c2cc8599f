import { userInfo } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import { ensureDir, readTextFile, withFileLock, writeFileAtomic } from "#foundation/files/files";
import { type Logger, silentLogger } from "#foundation/files/logger";
import { Mutex } from "#foundation/lifecycle/mutex";
import { parseJson } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import { systemClock } from "#foundation/time/clock";
import { type AuthState, emptyAuthState, readAuthState } from "./auth-state.ts";

const maxAuthBytes = 5_000_000;
const lockTimeoutMs = 15_000;

/** Where the text of the store lies: a file, or the system's keychain. */
export interface AuthBackend {
  readonly label: string;
  read(signal: AbortSignal): Promise<string | undefined>;
  write(text: string, signal: AbortSignal): Promise<void>;
  /** Puts an unreadable text aside under another name and says where. */
  setAside(text: string, signal: AbortSignal): Promise<string>;
}

export interface AuthFileOptions {
  readonly path: string;
  /** Held while changing; defaults to `auth.lock` beside the file. */
  readonly lockPath?: string;
  readonly backend?: AuthBackend;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Told once when the store could not be read and was put aside. */
  readonly warn?: (message: string) => void;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * The store of logins and credentials, shared by every process of a home. Invariants:
 *
 * 1. A change reads the newest state under the lock and writes it whole, so no process undoes another.
 * 2. The file is readable by its owner only and replaced in one step.
 * 3. What cannot be parsed is copied aside before anything is written.
 */
export class AuthFile {
  readonly path: string;
  readonly #lockPath: string;
  readonly #backend: AuthBackend;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #warn: (message: string) => void;
  readonly #changes = new Mutex();
  #hasWarned = false;

  constructor(options: AuthFileOptions) {
    refuseRealHomeInTests(options.path, options.env ?? process.env);
    this.path = options.path;
    this.#lockPath = options.lockPath ?? join(dirname(options.path), "auth.lock");
    this.#backend = options.backend ?? fileBackend(options.path);
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#warn = options.warn ?? (() => undefined);
  }

  async read(signal: AbortSignal): Promise<AuthState> {
    const text = await this.#backend.read(signal);
    if (text === undefined || text.trim() === "") return emptyAuthState;
    const parsed = parseJson(text);
    const state = parsed.ok ? readAuthState(parsed.value) : undefined;
    if (state !== undefined) return state;
    await this.#putAside(text, signal);
    return emptyAuthState;
  }

  /** Applies `change` to the newest state. Returning the state it was given writes nothing. */
  async update(change: (state: AuthState) => AuthState, signal: AbortSignal): Promise<AuthState> {
    return this.exclusively(async (access) => {
      const before = await access.read();
      const after = change(before);
      if (after !== before) await access.write(after);
      return after;
    }, signal);
  }

  /** Holds the store for longer than one change: what a token renewal needs, which calls a server in between. */
  async exclusively<T>(work: (access: AuthAccess) => Promise<T>, signal: AbortSignal): Promise<T> {
    const locked = (): Promise<T> =>
      withFileLock(
        this.#lockPath,
        () => work({ read: () => this.read(signal), write: (state) => this.#write(state, signal) }),
        { signal, timeoutMs: lockTimeoutMs },
      );
    return this.#changes.run(locked, signal);
  }

  async #write(state: AuthState, signal: AbortSignal): Promise<void> {
    const stamped = { version: 1, ...state.raw, updated_at: new Date(this.#clock.now()).toISOString() };
    await this.#backend.write(`${JSON.stringify(stamped, undefined, 2)}\n`, signal);
  }

  async #putAside(text: string, signal: AbortSignal): Promise<void> {
    const where = await this.#backend.setAside(text, signal);
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const message = `${this.#backend.label} could not be read and counts as empty; its content was copied to ${where}.`;
    this.#logger.warn(message);
    this.#warn(message);
  }
}

/** Inside {@link AuthFile.exclusively}. */
export interface AuthAccess {
  read(): Promise<AuthState>;
  write(state: AuthState): Promise<void>;
}

function fileBackend(path: string): AuthBackend {
  return {
    label: path,
    read: () => readTextFile(path, { maxBytes: maxAuthBytes }),
    async write(text) {
      await ensureDir(dirname(path), 0o700);
      await writeFileAtomic(path, text, { mode: 0o600 });
    },
    async setAside(text) {
      const aside = `${path}.corrupt`;
      await writeFileAtomic(aside, text, { mode: 0o600 });
      return aside;
    },
  };
}

/** A test that forgets to name a home must not find the developer's own logins. */
function refuseRealHomeInTests(path: string, env: Readonly<Record<string, string | undefined>>): void {
  if (env.NODE_ENV !== "test") return;
  const real = resolve(join(userInfo().homedir, ".hermes"));
  const input = resolve(path);
  if (input === real || input.startsWith(real + sep)) {
    throw new Error(`a test tried to open the real credential store at ${input}`);
  }
}
