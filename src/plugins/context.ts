import { mkdirSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import type { Scope } from "#foundation/lifecycle/disposal";
import { isRecord } from "#foundation/text/json";
import { type CallLocation, result, type Tool, type ToolContext, type ToolRegistry } from "#tools";
import type { PluginCall, PluginContext, PluginTool } from "./api.ts";
import type { Contributions } from "./contributions.ts";
import type { FoundPlugin } from "./discover.ts";
import type { HookCallback, Hooks } from "./hooks/hooks.ts";
import type { PluginCalls } from "./plugin-calls.ts";

/** What plugins are connected to. */
export interface PluginWiring {
  readonly registry: ToolRegistry;
  readonly hooks: Hooks;
  readonly contributions: Contributions;
  readonly logger: Logger;
  readonly hermesHome: string;
  /** `plugins.config`. */
  readonly config: Readonly<Record<string, unknown>>;
  /** For which session the code of plugins runs. */
  readonly calls: PluginCalls;
  /** The sessions that are open now. */
  readonly sessions: PluginSessions;
}

export interface PluginSessions {
  /** By its key; without one the only session there is. Undefined when no session is meant. */
  location(sessionKey: string | undefined): CallLocation | undefined;
  /** The whole pipeline for one call. */
  callTool(
    call: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> },
    context: Omit<ToolContext, "agent">,
  ): Promise<string>;
}

/** Where plugins are looked at, and no conversation is held. */
export const noSessions: PluginSessions = {
  location: () => undefined,
  callTool: () => Promise.reject(new UserError("No conversation is open.")),
};

export const dataFolderOf = ({ hermesHome }: Pick<PluginWiring, "hermesHome">, key: string): string =>
  join(hermesHome, "plugin-data", ...key.split("/"));

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
      const folder = dataFolderOf(wiring, key);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return folder;
    },
    registerTool: (tool) => {
      declared(logger, { what: "tool", name: tool.name, list: manifest.providesTools });
      const registration = wiring.registry.register(toolOf(tool, wiring.calls), { overrides: manifest.overridesTools });
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
      const location = isAbsolute(path) ? path : join(plugin.folder, path);
      return own(contributions.addSkill({ name: `${manifest.name}:${name}`, path: location, description }));
    },
    registerTerminal: (kind, open) => own(contributions.addTerminal(kind, open, key)),
    registerImageGenProvider: (provider) => own(contributions.addImageGenProvider(provider)),
    dispatchTool: async (name, args, signal = never) => {
      const location = wiring.calls.current ?? wiring.sessions.location(undefined);
      if (location === undefined)
        throw new UserError(`The tool ${name} cannot be run: it is not clear for which conversation.`, {
          hint: "Call it from a tool, a hook or a command of the plugin; they run for one conversation.",
        });
      const context = { ...location, callId: "", signal, progress: () => undefined };
      return await wiring.sessions.callTool({ tool: name, args }, context);
    },
    injectMessage: (content, role = "user", sessionKey) => {
      const own = sessionKey === undefined ? wiring.calls.current : undefined;
      const text = role === "user" ? content : `[${role}] ${content}`;
      const { scope } = own ?? wiring.sessions.location(sessionKey) ?? {};
      return scope?.deliver({ text, how: "typed", isVerbatim: true }) ?? false;
    },
    onDispose: (cleanup) => scope.defer(cleanup),
  };
}

function toolOf(tool: PluginTool, calls: PluginCalls): Tool {
  const parameters = isRecord(tool.schema["parameters"]) ? tool.schema["parameters"] : tool.schema;
  const described = tool.description ?? tool.schema["description"];
  const { checkFn } = tool;
  return {
    name: tool.name,
    toolset: tool.toolset,
    description: typeof described === "string" ? described : tool.name,
    parameters,
    origin: "plugin",
    ...defined({ emoji: tool.emoji, requiresEnv: tool.requiresEnv }),
    ...(checkFn === undefined
      ? {}
      : { check: async () => (await checkFn()) || { reason: `its plugin says ${tool.name} cannot be used now` } }),
    execute: async (args, context) => result(await calls.run(context, () => tool.handler(args, pluginCall(context)))),
  };
}

/** What a plugin learns about a call. */
function pluginCall({ scope, agent: _own, ...call }: ToolContext): PluginCall {
  return { ...call, sessionKey: scope.key, surface: scope.source };
}

function declared(
  logger: Logger,
  { what, name, list }: { readonly what: string; readonly name: string; readonly list: readonly string[] | undefined },
): void {
  if (list === undefined || list.includes(name)) return;
  logger.warn(`plugin registers a ${what} its manifest does not name`, { name });
}
