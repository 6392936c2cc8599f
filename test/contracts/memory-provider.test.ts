import { bundledProviders, type MemoryProvider } from "#agent";
import { memoryProviderContract } from "./memory-provider.ts";

for (const bundled of bundledProviders) {
  const loaded = await bundled.load();
  memoryProviderContract({
    name: bundled.name,
    create: () => Reflect.construct(loaded.constructor, []) as MemoryProvider,
  });
}

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
