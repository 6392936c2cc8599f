import type { MemoryProvider } from "./provider.ts";

/** A provider that comes with the program; its code is loaded only when it is chosen. */
export interface BundledProvider {
  readonly name: string;
  readonly description: string;
  load(): Promise<MemoryProvider>;
}

/** A bundled provider wins over a plugin of the same name. */
export const bundledProviders: readonly BundledProvider[] = [
  {
    name: "holographic",
    description: "Facts in a local database, with entities, trust and recall. Nothing leaves this machine.",
    load: async () => {
      const { HolographicMemory } = await import("./providers/holographic/provider.ts");
      return new HolographicMemory();
    },
  },
];
