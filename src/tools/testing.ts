import { systemClock } from "#foundation/clock";
import { memoryLogger } from "#foundation/logger";
import { AvailabilityProbes } from "./availability.ts";
import type { ToolContext } from "./context.ts";
import { type Listing, type ListingWish, listTools } from "./listing.ts";
import { ToolRegistry } from "./registry.ts";
import { result } from "./result.ts";
import type { Tool } from "./tool.ts";
import { Toolsets } from "./toolsets.ts";

/** Builders for tests of tools. */
export function fakeTool(name: string, changes: Partial<Tool> = {}): Tool {
  return {
    name,
    toolset: "test",
    description: `The tool ${name}`,
    parameters: { type: "object", properties: {} },
    execute: () => Promise.resolve(result({ ok: name })),
    ...changes,
  };
}

export function registryOf(...tools: readonly Tool[]) {
  const logger = memoryLogger();
  const registry = new ToolRegistry(logger);
  for (const tool of tools) registry.register(tool);
  return { registry, logger };
}

export function listingOf(registry: ToolRegistry, wish: ListingWish = {}): Promise<Listing> {
  const snapshot = registry.snapshot();
  const source = { snapshot, toolsets: new Toolsets(snapshot), probes: new AvailabilityProbes(systemClock) };
  return listTools(source, wish, new AbortController().signal);
}

export function toolContext(changes: Partial<ToolContext> = {}): ToolContext {
  return {
    callId: "call_1",
    taskId: "default",
    sessionId: "session",
    sessionKey: "cli",
    surface: "cli",
    enabledTools: new Set(),
    signal: new AbortController().signal,
    progress: () => undefined,
    ...changes,
  };
}
