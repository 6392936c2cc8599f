import { join } from "node:path";
import type { Message, ToolDefinition } from "#conversation";
import { ensureDir, writeFileAtomic } from "#foundation/files/files";
import { linkSignals } from "#foundation/lifecycle/abort";
import type { ConfigSchema } from "../../config-schema.ts";
import type { MemoryProvider, ProviderCall, ProviderContext, ProviderHost } from "../../provider.ts";
import { Arguments, argumentProblem } from "./arguments.ts";
import type { MemoryService, ServiceConnection } from "./service.ts";
import { ServiceSettings } from "./settings.ts";

/** A memory service as a provider. Nothing is sent before the first turn; closing ends what is still on its way. */
export class ServiceMemory implements MemoryProvider {
  readonly name: string;
  readonly saveConfig?: NonNullable<MemoryProvider["saveConfig"]>;
  readonly #service: MemoryService;
  readonly #settings: ServiceSettings;
  readonly #closed = new AbortController();
  #connection: ServiceConnection | undefined;

  private constructor(service: MemoryService, settings: ServiceSettings) {
    this.name = service.name;
    this.#service = service;
    this.#settings = settings;
    const { configFile } = service;
    if (configFile !== undefined) this.saveConfig = (values, home) => saveSettings(join(home, configFile), values);
  }

  static async open(service: MemoryService, host: ProviderHost): Promise<ServiceMemory> {
    return new ServiceMemory(service, await ServiceSettings.read(service, host));
  }

  isAvailable(): boolean {
    return this.#settings.hasRequired && this.#service.isReady?.(this.#settings) !== false;
  }

  initialize(sessionId: string, context: ProviderContext): void {
    this.#connection = this.#service.connect(this.#settings, {
      sessionId,
      userId: context.userId,
      identity: context.agentIdentity ?? "default",
      hermesHome: context.hermesHome,
    });
  }

  getToolSchemas(): readonly ToolDefinition[] {
    return (this.#connection?.tools ?? []).map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
    }));
  }

  async handleToolCall(name: string, args: Readonly<Record<string, unknown>>, call: ProviderCall): Promise<string> {
    const tool = this.#tool(name);
    if (tool === undefined) return problem(`There is no tool ${name}.`);
    const wrong = argumentProblem(tool.parameters, args);
    if (wrong !== undefined) return problem(wrong);
    return JSON.stringify({ success: true, result: (await tool.run(new Arguments(args), call.signal)) ?? null });
  }

  isReadOnlyCall(name: string): boolean {
    return this.#tool(name)?.isReadOnly === true;
  }

  getConfigSchema(): ConfigSchema {
    return this.#service.schema;
  }

  systemPromptBlock(): string {
    return this.#service.prompt;
  }

  async prefetch(query: string, call: ProviderCall): Promise<string> {
    return (await this.#connection?.recall?.(query, this.#until(call.signal))) ?? "";
  }

  async syncTurn(user: string, assistant: string, call: ProviderCall): Promise<void> {
    await this.#connection?.remember?.({ sessionId: call.sessionId, user, assistant }, this.#until(call.signal));
  }

  async onMemoryWrite(...[action, , content]: Parameters<NonNullable<MemoryProvider["onMemoryWrite"]>>): Promise<void> {
    if (action !== "remove") await this.#connection?.note?.(content, this.#closed.signal);
  }

  async onSessionEnd(messages: readonly Message[]): Promise<void> {
    await this.#connection?.end?.(messages, this.#closed.signal);
  }

  async onPreCompress(messages: readonly Message[]): Promise<undefined> {
    await this.#connection?.beforeCompression?.(messages, this.#closed.signal);
    return undefined;
  }

  shutdown(): void {
    this.#closed.abort(new Error("the memory provider was closed"));
  }

  #tool(name: string) {
    return this.#connection?.tools.find((one) => one.name === name);
  }

  #until(signal: AbortSignal): AbortSignal {
    return linkSignals(signal, this.#closed.signal);
  }
}

function problem(error: string): string {
  return JSON.stringify({ success: false, error });
}

async function saveSettings(file: string, values: Readonly<Record<string, string>>): Promise<void> {
  await ensureDir(join(file, ".."), 0o700);
  await writeFileAtomic(file, `${JSON.stringify(values, undefined, 2)}\n`, { mode: 0o600 });
}
