import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { never } from "#foundation/lifecycle/abort";
import { Scope } from "#foundation/lifecycle/disposal";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { systemClock } from "#foundation/time/clock";
import { type McpServerSettings, readServerSettings } from "../contract/mcp-settings.ts";
import { ToolRegistry } from "../registry/registry.ts";
import type { McpDeps } from "./deps.ts";
import { attachmentFolder } from "./offered/attachments.ts";
import { PinStore } from "./offered/pins.ts";
import { McpServers, type McpServersOptions } from "./servers.ts";

const fakeServer = fileURLToPath(new URL("../../../test/fakes/mcp-server/server.mjs", import.meta.url));

/** Settings as a configuration file would give them. */
export function settingsOf(name: string, raw: Readonly<Record<string, unknown>>): McpServerSettings {
  const reading = readServerSettings(name, raw, { env: {}, logger: memoryLogger() });
  if (reading.kind === "invalid") throw new Error(reading.reason);
  return reading.settings;
}

/** The scripted child server; `plan` says how it behaves. */
export function fakeSettings(
  name: string,
  plan: Readonly<Record<string, unknown>> = {},
  raw: Readonly<Record<string, unknown>> = {},
): McpServerSettings {
  return settingsOf(name, { command: process.execPath, args: [fakeServer, JSON.stringify(plan)], ...raw });
}

export interface McpStage extends AsyncDisposable {
  readonly home: string;
  readonly deps: McpDeps;
  readonly registry: ToolRegistry;
  readonly logger: ReturnType<typeof memoryLogger>;
  /** What servers wrote to their error streams. */
  readonly stderr: readonly string[];
  open(settings: readonly McpServerSettings[], options?: Partial<McpServersOptions>): McpServers;
}

/** A home, a registry and whatever servers a test opens, all gone afterwards. */
export async function mcpStage(changes: Partial<McpDeps> = {}): Promise<McpStage> {
  const scope = new Scope();
  const home = await mkdtemp(join(tmpdir(), "hermes-mcp-"));
  scope.defer(() => rm(home, { recursive: true, force: true }));
  const logger = memoryLogger();
  const registry = new ToolRegistry(logger);
  const stderr: string[] = [];
  const deps: McpDeps = {
    clock: systemClock,
    logger,
    env: process.env,
    hermesHome: home,
    version: "0.0.0",
    cwd: home,
    redact: (text) => text,
    openServerLog: () => ({ write: (text) => void stderr.push(text) }),
    attachments: attachmentFolder(join(home, "attachments")),
    ...changes,
  };
  const pins = new PinStore(join(home, "mcp-pins.json"), never);
  return {
    home,
    deps,
    registry,
    logger,
    stderr,
    open: (settings, options = {}) => scope.adopt(new McpServers(settings, { deps, registry, pins, ...options })),
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}
