import { randomInt, timingSafeEqual } from "node:crypto";
import path from "node:path";
import { readTextFile, withFileLock, writeFileAtomic } from "#foundation/files/files";
import { timeLimit } from "#foundation/lifecycle/abort";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";

export interface PairedPerson {
  readonly userId: string;
  readonly userName: string;
  readonly atMs: number;
  /** Where they asked, if they did. */
  readonly chatId?: string | undefined;
}

/** Somebody who is not known yet, and where they wrote. */
export type Stranger = Pick<PairedPerson, "userId" | "userName" | "chatId">;

export interface PendingCode extends PairedPerson {
  readonly code: string;
  readonly platform: string;
}

/** What a stranger who asks gets. `silent`: they were told before, or must not be told anything. */
export type CodeRequest = { readonly kind: "code"; readonly code: string } | { readonly kind: "wait" | "silent" };

export type Approval =
  | { readonly kind: "approved"; readonly person: PairedPerson }
  | { readonly kind: "unknown-code" }
  | { readonly kind: "locked"; readonly untilMs: number };

const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const codeLength = 8;
const codeLivesMs = 3_600_000;
const mostPending = 3;
const requestEveryMs = 600_000;
const mostFailures = 5;
const lockedMs = 3_600_000;
const maxBytes = 4 * 1024 * 1024;
/** Codes that an admin gave out stand among the pending ones, with nobody's name. */
const invitation = "";

interface Entry {
  readonly user_id: string;
  readonly user_name: string;
  readonly created_at: number;
  readonly chat_id?: string | undefined;
}

type Table<T> = Record<string, T>;

/**
 * Who was let in by a code. Files of the home, so that the command line and the gateway see the same; every change is
 * made under one lock, and nobody but the owner can read them.
 */
export class Pairing {
  readonly #folder: string;
  readonly #clock: Clock;

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  async isPaired(platform: string, userId: string): Promise<boolean> {
    return Object.hasOwn(await this.#read(`${platform}-approved`), userId);
  }

  async paired(platform: string): Promise<readonly PairedPerson[]> {
    const approved = await this.#read<{ user_name: string; approved_at: number }>(`${platform}-approved`);
    return Object.entries(approved).map(([userId, { user_name, approved_at }]) => ({
      userId,
      userName: user_name,
      atMs: approved_at * 1000,
    }));
  }

  async pending(platform: string): Promise<readonly PendingCode[]> {
    return Object.entries(await this.#pendingOf(platform)).map(([code, { user_id, user_name, created_at }]) => ({
      code,
      platform,
      userId: user_id,
      userName: user_name,
      atMs: created_at * 1000,
    }));
  }

  /** A stranger wrote: a code for them, within the limits. */
  async request(platform: string, person: Stranger): Promise<CodeRequest> {
    return await this.#locked(async () => {
      const limits = await this.#read<number>("_rate_limits");
      const key = `${platform}:${person.userId}`;
      const told = `_told:${key}`;
      const nowS = this.#clock.now() / 1000;
      const isEarly = (limits[key] ?? 0) * 1000 > this.#clock.now() - requestEveryMs;
      if (this.#isLockedOut(limits, key)) return { kind: "silent" };
      if (isEarly) {
        if (limits[told] !== undefined) return { kind: "silent" };
        await this.#write("_rate_limits", { ...limits, [told]: nowS });
        return { kind: "wait" };
      }
      const pending = await this.#pendingOf(platform);
      const others = Object.entries(pending).filter(([, { user_id }]) => user_id !== person.userId);
      if (others.filter(([, { user_id }]) => user_id !== invitation).length >= mostPending) return { kind: "silent" };
      const code = newCode();
      const { userId: user_id, userName: user_name, chatId: chat_id } = person;
      const entry: Entry = { user_id, user_name, chat_id, created_at: nowS };
      await this.#write(`${platform}-pending`, { ...Object.fromEntries(others), [code]: entry });
      const { [told]: _told, ...rest } = limits;
      await this.#write("_rate_limits", { ...rest, [key]: nowS });
      return { kind: "code", code };
    });
  }

  /** The owner names the code that a stranger was given. */
  async approve(platform: string, typed: string): Promise<Approval> {
    return await this.#locked(async () => {
      const limits = await this.#read<number>("_rate_limits");
      const lockedUntilMs = (limits[`_lockout:${platform}`] ?? 0) * 1000;
      if (lockedUntilMs > this.#clock.now()) return { kind: "locked", untilMs: lockedUntilMs };
      const pending = await this.#pendingOf(platform);
      const found = codeIn(pending, typed);
      const entry = found === undefined ? undefined : pending[found];
      if (found === undefined || entry === undefined || entry.user_id === invitation) {
        await this.#noteFailure(limits, platform);
        return { kind: "unknown-code" };
      }
      const { [`_failures:${platform}`]: _failures, ...rest } = limits;
      await this.#write("_rate_limits", rest);
      return { kind: "approved", person: await this.#letIn(platform, found, entry) };
    });
  }

  /** A code that an admin passes on; whoever sends it is let in, once. */
  async invite(platforms: readonly string[]): Promise<string> {
    return await this.#locked(async () => {
      const code = newCode();
      const entry = { user_id: invitation, user_name: "", created_at: this.#clock.now() / 1000 };
      for (const platform of platforms)
        await this.#write(`${platform}-pending`, { ...(await this.#pendingOf(platform)), [code]: entry });
      return code;
    });
  }

  /** A stranger sent what looks like a code: true when it lets them in. Wrong ones are counted. */
  async redeem(
    platform: string,
    typed: string,
    person: { readonly userId: string; readonly userName: string },
  ): Promise<boolean> {
    if (!looksLikeCode(typed)) return false;
    return await this.#locked(async () => {
      const limits = await this.#read<number>("_rate_limits");
      const key = `${platform}:${person.userId}`;
      if (this.#isLockedOut(limits, key)) return false;
      const pending = await this.#pendingOf(platform);
      const found = codeIn(pending, typed);
      if (found === undefined || pending[found]?.user_id !== invitation) {
        await this.#noteFailure(limits, key);
        return false;
      }
      const entry = { ...pending[found], user_id: person.userId, user_name: person.userName };
      await this.#letIn(platform, found, entry as Entry);
      return true;
    });
  }

  async revoke(platform: string, userId: string): Promise<boolean> {
    return await this.#locked(async () => {
      const { [userId]: gone, ...rest } = await this.#read(`${platform}-approved`);
      if (gone !== undefined) await this.#write(`${platform}-approved`, rest);
      return gone !== undefined;
    });
  }

  /** Leaves nothing of a person: neither the right, nor a code, nor what was counted. */
  async forget(platform: string, userId: string): Promise<boolean> {
    const wasPaired = await this.revoke(platform, userId);
    await this.#locked(async () => {
      const pending = Object.entries(await this.#pendingOf(platform)).filter(([, { user_id }]) => user_id !== userId);
      await this.#write(`${platform}-pending`, Object.fromEntries(pending));
      const limits = await this.#read<number>("_rate_limits");
      const key = `${platform}:${userId}`;
      const counted = Object.entries(limits).filter(([name]) => name !== key && !name.endsWith(`:${key}`));
      await this.#write("_rate_limits", Object.fromEntries(counted));
    });
    return wasPaired;
  }

  async clearPending(platform: string): Promise<number> {
    return await this.#locked(async () => {
      const count = Object.keys(await this.#pendingOf(platform)).length;
      await this.#write(`${platform}-pending`, {});
      return count;
    });
  }

  #isLockedOut(limits: Table<number>, key: string): boolean {
    return (limits[`_lockout:${key}`] ?? 0) * 1000 > this.#clock.now();
  }

  async #letIn(platform: string, code: string, entry: Entry): Promise<PairedPerson> {
    const nowMs = this.#clock.now();
    const { [code]: _used, ...left } = await this.#pendingOf(platform);
    const approved = await this.#read(`${platform}-approved`);
    const person = { user_name: entry.user_name, approved_at: nowMs / 1000 };
    await this.#write(`${platform}-approved`, { ...approved, [entry.user_id]: person });
    await this.#write(`${platform}-pending`, left);
    return { userId: entry.user_id, userName: entry.user_name, chatId: entry.chat_id, atMs: nowMs };
  }

  async #noteFailure(limits: Table<number>, key: string): Promise<void> {
    const failures = (limits[`_failures:${key}`] ?? 0) + 1;
    const isOver = failures >= mostFailures;
    const lockout = isOver ? { [`_lockout:${key}`]: (this.#clock.now() + lockedMs) / 1000 } : {};
    await this.#write("_rate_limits", { ...limits, [`_failures:${key}`]: isOver ? 0 : failures, ...lockout });
  }

  async #pendingOf(platform: string): Promise<Table<Entry>> {
    const all = await this.#read<Entry>(`${platform}-pending`);
    const oldestS = (this.#clock.now() - codeLivesMs) / 1000;
    return Object.fromEntries(Object.entries(all).filter(([, entry]) => entry.created_at > oldestS));
  }

  async #read<T = unknown>(name: string): Promise<Table<T>> {
    const parsed = parseJson((await readTextFile(this.#file(name), { maxBytes })) ?? "{}");
    return parsed.ok && isRecord(parsed.value) ? (parsed.value as Table<T>) : {};
  }

  async #write(name: string, table: Table<unknown>): Promise<void> {
    await writeFileAtomic(this.#file(name), `${JSON.stringify(table, undefined, 2)}\n`, { mode: 0o600 });
  }

  #file(name: string): string {
    return path.join(this.#folder, `${name.replaceAll(/[^\w-]/gu, "_")}.json`);
  }

  async #locked<T>(work: () => Promise<T>): Promise<T> {
    return await withFileLock(path.join(this.#folder, ".lock"), work, { signal: timeLimit(10_000) });
  }
}

function newCode(): string {
  return Array.from({ length: codeLength }, () => alphabet.charAt(randomInt(alphabet.length))).join("");
}

function looksLikeCode(typed: string): boolean {
  return new RegExp(`^[${alphabet}]{${codeLength}}$`, "u").test(typed.trim().toUpperCase());
}

/** Every code is compared, each in the same time: nothing is learned from how long it takes. */
function codeIn(pending: Table<Entry>, typed: string): string | undefined {
  const wanted = Buffer.from(typed.trim().toUpperCase().padEnd(codeLength).slice(0, codeLength));
  let found: string | undefined;
  for (const code of Object.keys(pending))
    if (Buffer.byteLength(code) === wanted.length && timingSafeEqual(Buffer.from(code), wanted)) found = code;
  return typed.trim().length === codeLength ? found : undefined;
}
