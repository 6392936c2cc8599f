import type { MemoryProvider, ProviderHost } from "./provider.ts";
import type { MemoryService } from "./providers/service/service.ts";

/** A provider that comes with the program; its code is loaded only when it is chosen. */
export interface BundledProvider {
  readonly name: string;
  readonly description: string;
  load(host: ProviderHost): Promise<MemoryProvider>;
  /** Its `cli` module, for `hermes <name> <subcommand>`. */
  loadCli?(host: ProviderHost): Promise<unknown>;
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
  {
    name: "honcho",
    description: "Conclusions about you from what is said, in the cloud or on a server of your own.",
    load: hosted(async () => (await import("./providers/hosted/honcho.ts")).honcho),
    loadCli: async (host) => (await import("./providers/hosted/honcho-cli.ts")).honchoCli(host),
  },
  {
    name: "mem0",
    description: "Facts drawn from what is said, in the cloud.",
    load: hosted(async () => (await import("./providers/hosted/mem0.ts")).mem0),
  },
  {
    name: "supermemory",
    description: "Memories and a profile, in the cloud or on a server of your own.",
    load: hosted(async () => (await import("./providers/hosted/supermemory.ts")).supermemory),
  },
  {
    name: "openviking",
    description: "A tree of memories and resources on a server of your own.",
    load: hosted(async () => (await import("./providers/hosted/openviking.ts")).openviking),
  },
  {
    name: "hindsight",
    description: "A bank of facts to recall and reflect on, in the cloud or on a server of your own.",
    load: hosted(async () => (await import("./providers/hosted/hindsight.ts")).hindsight),
  },
  {
    name: "retaindb",
    description: "Typed memories per project, in the cloud.",
    load: hosted(async () => (await import("./providers/hosted/retaindb.ts")).retaindb),
  },
  {
    name: "byterover",
    description: "A tree of knowledge kept by the program brv on this machine.",
    load: hosted(async () => (await import("./providers/hosted/byterover.ts")).byterover),
  },
];

function hosted(service: () => Promise<MemoryService>): BundledProvider["load"] {
  return async (host) => {
    const { ServiceMemory } = await import("./providers/service/service-memory.ts");
    return await ServiceMemory.open(await service(), host);
  };
}
