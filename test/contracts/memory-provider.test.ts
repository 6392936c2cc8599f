import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { bundledProviders, type MemoryProvider } from "#agent";
import { startHoncho } from "../fakes/memory-services/honcho.ts";
import {
  fakeKey,
  startHindsight,
  startMem0,
  startOpenViking,
  startRetainDb,
  startSupermemory,
} from "../fakes/memory-services/services.ts";
import { memoryProviderContract } from "./memory-provider.ts";

const honcho = await startHoncho();
const mem0 = await startMem0();
const supermemory = await startSupermemory();
const openviking = await startOpenViking();
const hindsight = await startHindsight();
const retaindb = await startRetainDb();
const programs = await mkdtemp(join(tmpdir(), "hermes-brv-"));
// The program that ByteRover is: it answers three words and fails for everything else.
await writeFile(
  join(programs, "brv"),
  '#!/bin/sh\ncase "$1" in query|curate|status) [ "$1" = status ] || [ "$2" = -- ] || exit 64; echo "$1: done";; *) exit 64;; esac\n',
);
await chmod(join(programs, "brv"), 0o755);
afterAll(async () => {
  for (const one of [honcho, mem0, supermemory, openviking, hindsight, retaindb]) await one[Symbol.asyncDispose]();
  await rm(programs, { recursive: true });
});

const variables = {
  HONCHO_API_KEY: fakeKey,
  HONCHO_BASE_URL: honcho.url,
  MEM0_API_KEY: fakeKey,
  MEM0_HOST: mem0.url,
  SUPERMEMORY_API_KEY: fakeKey,
  SUPERMEMORY_BASE_URL: supermemory.url,
  OPENVIKING_API_KEY: fakeKey,
  OPENVIKING_ENDPOINT: openviking.url,
  HINDSIGHT_API_KEY: fakeKey,
  HINDSIGHT_API_URL: hindsight.url,
  RETAINDB_API_KEY: fakeKey,
  RETAINDB_BASE_URL: retaindb.url,
  PATH: `${programs}:${process.env["PATH"] ?? ""}`,
};

for (const bundled of bundledProviders)
  memoryProviderContract({
    name: bundled.name,
    create: (hermesHome) => bundled.load({ variables, hermesHome }),
  });

/** The smallest provider that keeps anything: the last thing the user said. */
class LastWords implements MemoryProvider {
  readonly name = "last_words";
  #last = "";

  isAvailable(): boolean {
    return true;
  }

  initialize(): void {
    this.#last = "";
  }

  getToolSchemas() {
    return [{ name: "last_words", description: "What was said last", parameters: { type: "object", properties: {} } }];
  }

  handleToolCall(): string {
    return JSON.stringify({ last: this.#last });
  }

  getConfigSchema() {
    return [{ key: "token", description: "Token", secret: true, required: true, envVar: "LAST_WORDS_TOKEN" }];
  }

  prefetch(): string {
    return this.#last;
  }

  syncTurn(user: string): void {
    this.#last = user;
  }
}

memoryProviderContract({ name: "last_words", create: () => new LastWords() });
