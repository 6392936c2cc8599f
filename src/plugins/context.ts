import { mkdirSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import type { Scope } from "#foundation/lifecycle/disposal";
import { isRecord } from "#foundation/text/json";
import { result, type Tool, type ToolRegistry } from "#tools";
import type { PluginContext, PluginTool } from "./api.ts";
import type { Contributions } from "./contributions.ts";
import type { FoundPlugin } from "./discover.ts";
import type { HookCallback, Hooks } from "./hooks/hooks.ts";

/** What plugins are connected to. */
export interface PluginWiring {
  readonly registry: ToolRegistry;
  readonly hooks: Hooks;
  readonly contributions: Contributions;
  readonly logger: Logger;
  readonly hermesHome: string;
  /** `plugins.config`. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The whole pipeline for one call; absent while no conversation runs. */
  dispatchTool?(name: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<string>;
  injectMessage?(content: string, sessionKey: string | undefined): boolean;
}

/** The plugin's view of the program. All it registers belongs to `scope`. */
export function createPluginContext(plugin: FoundPlugin, wiring: PluginWiring, scope: Scope): PluginContext {
  const { key, manifest } = plugin;
  const { contributions, hooks } = wiring;
  const logger = wiring.logger.child({ plugin: key });
  const own = <T extends Disposable>(registration: T): T => scope.adopt(registration);
  const section = wiring.config[key];
  return {
    manifest,
    logger,
    config: isRecord(section) ? section : {},
    get dataDir() {
      const folder = join(wiring.hermesHome, "plugin-data", ...key.split("/"));
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return folder;
    },
    registerTool: (tool) => {
      declared(logger, { what: "tool", name: tool.name, list: manifest.providesTools });
      const registration = wiring.registry.register(toolOf(tool), { overrides: manifest.overridesTools });
      if (registration.kind === "refused")
        logger.warn("tool of a plugin refused", { tool: tool.name, reason: registration.reason });
      return own(registration);
    },
    registerHook: (name: string, callback: unknown, options: { readonly failClosed?: boolean } = {}) => {
      declared(logger, { what: "hook", name, list: manifest.providesHooks });
      return own(hooks.on(name, callback as HookCallback, { owner: key, failClosed: options.failClosed === true }));
    },
    registerMemoryProvider: (provider) => own(contributions.addMemoryProvider(provider, key)),
    registerContextEngine: (engine) => own(contributions.addContextEngine(engine, key)),
    registerCommand: (name, handler, options = {}) =>
      own(contributions.addCommand({ ...options, name, handler, owner: key })),
    registerCliCommand: (command) => own(contributions.addCliCommand(command, key)),
    registerSkill: (name, path, description = "") => {
      if (!/^[A-Za-z0-9_-]+$/.test(name))
        throw new UserError(`"${name}" is not a skill name (letters, digits, _ and -).`);
      const place = isAbsolute(path) ? path : join(plugin.folder, path);
      return own(contributions.addSkill({ name: `${manifest.name}:${name}`, path: place, description }));
    },
    registerImageGenProvider: (provider) => own(contributions.addImageGenProvider(provider)),
    dispatchTool: (name, args, signal = never) => {
      if (wiring.dispatchTool === undefined)
        throw new UserError(`The tool ${name} cannot be run: no conversation is open.`);
      return wiring.dispatchTool(name, args, signal);
    },
    injectMessage: (content, role = "user", sessionKey) =>
      wiring.injectMessage?.(role === "user" ? content : `[${role}] ${content}`, sessionKey) ?? false,
    onDispose: (cleanup) => scope.defer(cleanup),
  };
}

function toolOf(tool: PluginTool): Tool {
  const parameters = isRecord(tool.schema["parameters"]) ? tool.schema["parameters"] : tool.schema;
  const described = tool.description ?? tool.schema["description"];
  const { checkFn } = tool;
  return {
    name: tool.name,
    toolset: tool.toolset,
    description: typeof described === "string" ? described : tool.name,
    parameters,
    origin: "plugin",
    ...(tool.emoji === undefined ? {} : { emoji: tool.emoji }),
    ...(tool.requiresEnv === undefined ? {} : { requiresEnv: tool.requiresEnv }),
    ...(checkFn === undefined
      ? {}
      : { check: async () => (await checkFn()) || { reason: `its plugin says ${tool.name} cannot be used now` } }),
    execute: async (args, context) => result(await tool.handler(args, context)),
  };
}

function declared(
  logger: Logger,
  { what, name, list }: { readonly what: string; readonly name: string; readonly list: readonly string[] | undefined },
): void {
  if (list === undefined || list.includes(name)) return;
  logger.warn(`plugin registers a ${what} its manifest does not name`, { name });
}
