import type { ContextEngine, MemoryProvider } from "#agent";
import type { JsonSchema } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import type { TerminalOpener, ToolContext } from "#tools";
import type { HookName } from "./hooks/names.ts";
import type { HookPayloads } from "./hooks/payloads.ts";
import type { PluginManifest } from "./manifest.ts";

/** What a plugin's module exports as `register` (or as its default). */
export type RegisterPlugin = (context: PluginContext) => void | Promise<void>;

/** Everything a plugin may do. Each registration can be taken back; disabling the plugin takes back all. */
export interface PluginContext {
  readonly manifest: PluginManifest;
  readonly logger: Logger;
  /** A folder of its own that survives updates; created when first asked for. */
  readonly dataDir: string;
  /** The plugin's own section of the configuration (`plugins.config.<key>`). */
  readonly config: Readonly<Record<string, unknown>>;
  registerTool(tool: PluginTool): Disposable;
  registerHook<N extends HookName>(
    name: N,
    callback: (payload: HookPayloads[N], signal: AbortSignal) => unknown,
    options?: { readonly failClosed?: boolean },
  ): Disposable;
  registerHook(name: string, callback: (payload: unknown, signal: AbortSignal) => unknown): Disposable;
  registerMemoryProvider(provider: MemoryProvider): Disposable;
  registerContextEngine(engine: ContextEngine): Disposable;
  registerCommand(name: string, handler: CommandHandler, options?: CommandOptions): Disposable;
  registerCliCommand(command: CliCommand): Disposable;
  registerSkill(name: string, path: string, description?: string): Disposable;
  registerImageGenProvider(provider: ImageGenProvider): Disposable;
  /** A kind of terminal that sessions may choose; each task gets one of its own from `open`. */
  registerTerminal(kind: string, open: TerminalOpener): Disposable;
  /**
   * Runs a tool as the model would: with coercion, hooks, approval and limits. It belongs to the conversation whose
   * tool call, hook or command is calling it, else to the only one that is open.
   */
  dispatchTool(name: string, args: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<string>;
  /** Without a key to the conversation that is calling, as for `dispatchTool`. False when none can take it. */
  injectMessage(content: string, role?: string, sessionKey?: string): boolean;
  onDispose(cleanup: () => unknown): void;
}

/** What a tool of a plugin learns about the call it answers. */
export interface PluginCall extends Omit<ToolContext, "scope" | "agent"> {
  /** The conversation the call belongs to; `injectMessage` takes it. */
  readonly sessionKey: string;
  /** `cli`, `telegram`, `cron`, … */
  readonly surface: string;
}

export interface PluginTool {
  readonly name: string;
  readonly toolset: string;
  /** The argument schema itself, or a definition that holds it under `parameters`. */
  readonly schema: JsonSchema;
  /** Plain text is shown to the model as `{"result": text}`; anything else as JSON. */
  handler(args: Readonly<Record<string, unknown>>, call: PluginCall): unknown;
  checkFn?(): boolean | Promise<boolean>;
  readonly requiresEnv?: readonly string[];
  readonly description?: string;
  readonly emoji?: string;
}

export type CommandHandler = (rawArgs: string) => string | null | Promise<string | null>;

export interface CommandOptions {
  readonly description?: string;
  readonly argsHint?: string;
}

export interface CliCommand {
  readonly name: string;
  readonly help: string;
  setup?(parser: unknown): void;
  handler(args: readonly string[]): number | Promise<number>;
}

export interface ImageGenProvider {
  readonly name: string;
  readonly displayName?: string;
  isAvailable(): boolean;
  generate(request: { readonly prompt: string; readonly aspectRatio: string }): Promise<unknown>;
}
