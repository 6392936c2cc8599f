import { readFile, writeFile } from "node:fs/promises";
import type { SessionId } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { systemClock } from "#foundation/time/clock";
import { openStore, salvageStore } from "#store";

const deps = { clock: systemClock, log: silentLogger };
export const sessions = 20;
export const perSession = 30;

/** A store with conversations of some length, closed again: its bytes. */
export async function soundFile(path: string): Promise<Buffer> {
  const store = await openStore({ path }, deps);
  for (let session = 0; session < sessions; session += 1) {
    const messages = Array.from({ length: perSession }, (_, index) => ({
      role: "user" as const,
      content: `message ${index} of session ${session} ${"words and more words ".repeat(10)}`,
    }));
    await store.messages.append(`s${session}` as SessionId, messages);
  }
  await store[Symbol.asyncDispose]();
  return await readFile(path);
}

export interface Damage {
  /** 0 to 1: where in the file. */
  readonly at: number;
  readonly length: number;
  readonly byte: number;
}

export function damagedCopy(sound: Buffer, damages: readonly Damage[]): Buffer {
  const bytes = Buffer.from(sound);
  for (const { at, length, byte } of damages) {
    const from = Math.floor(at * (bytes.length - 1));
    bytes.fill(byte, from, Math.min(bytes.length, from + length));
  }
  return bytes;
}

/** Salvages the file; now and then the store is opened on it, read and written. */
export async function salvaged(
  path: string,
  bytes: Buffer,
  isOpened: boolean,
): Promise<{ readonly messages: number; readonly kept: Buffer }> {
  await writeFile(path, bytes);
  const { setAside, messages } = await salvageStore(path, deps);
  const kept = await readFile(setAside);
  if (!isOpened) return { messages, kept };
  await using store = await openStore({ path }, deps);
  const { messagesAfter, isHealthy } = await store.maintenance.fsck();
  if (!isHealthy || messagesAfter !== messages) throw new Error("The salvaged file is not sound.");
  await store.messages.append("after" as SessionId, [{ role: "user", content: "goes on" }]);
  return { messages, kept };
}
