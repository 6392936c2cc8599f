import { afterEach, beforeEach } from "vitest";
import type { SessionId, TurnId } from "#conversation";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import type { openStore, Store } from "#store";

/** One way to open an empty store, and to clean up behind it. */
export interface StoreSubject {
  readonly name: string;
  open(deps: Parameters<typeof openStore>[1]): Promise<Store>;
  cleanUp(): Promise<void>;
}

export interface Fixture {
  readonly store: Store;
  readonly clock: FakeClock;
  readonly log: ReturnType<typeof memoryLogger>;
}

/** A fresh store for each test; time stands still unless a test moves it. */
export function useStore(subject: StoreSubject): () => Fixture {
  let current: Fixture | undefined;
  beforeEach(async () => {
    const clock = new FakeClock(Date.UTC(2026, 0, 1), { autoAdvance: true });
    const log = memoryLogger();
    current = { store: await subject.open({ clock, log }), clock, log };
  });
  afterEach(async () => {
    await current?.store[Symbol.asyncDispose]();
    await subject.cleanUp();
    current = undefined;
  });
  return () => {
    if (current === undefined) throw new Error("no store is open");
    return current;
  };
}

export const session = (id: string): SessionId => id as SessionId;
export const turn = (id: string): TurnId => id as TurnId;
