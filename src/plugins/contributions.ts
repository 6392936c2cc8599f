import type { ContextEngine, MemoryProvider } from "#agent";
import type { Logger } from "#foundation/files/logger";
import { disposable } from "#foundation/lifecycle/disposal";
import type { TerminalOpener } from "#tools";
import type { CliCommand, CommandHandler, CommandOptions, ImageGenProvider } from "./api.ts";

export interface PluginCommand extends CommandOptions {
  readonly name: string;
  readonly owner: string;
  readonly handler: CommandHandler;
}

export interface PluginSkill {
  /** `<plugin>:<name>`. */
  readonly name: string;
  readonly path: string;
  readonly description: string;
}

/** What plugins have added, apart from tools and hooks. Surfaces read it; each entry goes with its plugin. */
export class Contributions {
  readonly #logger: Logger;
  #builtinCommands: ReadonlySet<string>;
  readonly #commands = new Map<string, PluginCommand>();
  readonly #cliCommands = new Map<string, CliCommand>();
  readonly #skills = new Map<string, PluginSkill>();
  readonly #imageGen = new Map<string, ImageGenProvider>();
  readonly #terminals = new Map<string, TerminalOpener>();
  #memory: MemoryProvider | undefined;
  #contextEngine: ContextEngine | undefined;

  constructor(options: { readonly logger: Logger; readonly builtinCommands?: ReadonlySet<string> }) {
    this.#logger = options.logger;
    this.#builtinCommands = options.builtinCommands ?? new Set();
  }

  /** From now on no plugin may take these names. */
  reserve(builtinCommands: ReadonlySet<string>): void {
    this.#builtinCommands = builtinCommands;
  }

  get commands(): ReadonlyMap<string, PluginCommand> {
    return this.#commands;
  }
  get cliCommands(): ReadonlyMap<string, CliCommand> {
    return this.#cliCommands;
  }
  get skills(): ReadonlyMap<string, PluginSkill> {
    return this.#skills;
  }
  get imageGenProviders(): ReadonlyMap<string, ImageGenProvider> {
    return this.#imageGen;
  }
  get terminals(): ReadonlyMap<string, TerminalOpener> {
    return this.#terminals;
  }
  get memoryProvider(): MemoryProvider | undefined {
    return this.#memory;
  }
  get contextEngine(): ContextEngine | undefined {
    return this.#contextEngine;
  }

  /** Lower case, without the slash, spaces as dashes. Names of built-in commands are refused. */
  addCommand(command: PluginCommand): Disposable {
    const name = command.name.trim().replace(/^\/+/, "").toLowerCase().replace(/\s+/g, "-");
    if (name === "" || this.#builtinCommands.has(name)) {
      return this.#refuse("command", name, command.owner);
    }
    return put(this.#commands, name, { ...command, name });
  }

  addCliCommand(command: CliCommand, owner: string): Disposable {
    if (this.#builtinCommands.has(command.name)) return this.#refuse("program command", command.name, owner);
    return put(this.#cliCommands, command.name, command);
  }

  addSkill(skill: PluginSkill): Disposable {
    return put(this.#skills, skill.name, skill);
  }

  addImageGenProvider(provider: ImageGenProvider): Disposable {
    return put(this.#imageGen, provider.name, provider);
  }

  /** The local terminal is nobody else's. */
  addTerminal(kind: string, open: TerminalOpener, owner: string): Disposable {
    if (kind === "local") return this.#refuse("terminal", kind, owner);
    return put(this.#terminals, kind, open);
  }

  addMemoryProvider(provider: MemoryProvider, owner: string): Disposable {
    if (this.#memory !== undefined) return this.#refuse("memory provider", provider.name, owner);
    this.#memory = provider;
    return disposable(() => {
      if (this.#memory === provider) this.#memory = undefined;
    });
  }

  addContextEngine(engine: ContextEngine, owner: string): Disposable {
    if (this.#contextEngine !== undefined) return this.#refuse("context engine", engine.name, owner);
    this.#contextEngine = engine;
    return disposable(() => {
      if (this.#contextEngine === engine) this.#contextEngine = undefined;
    });
  }

  #refuse(what: string, name: string, plugin: string): Disposable {
    this.#logger.warn(`${what} of a plugin refused: the place is taken`, { name, plugin });
    return disposable(() => undefined);
  }
}

/** The later one wins; taking it back leaves a newer one alone. */
function put<T>(map: Map<string, T>, name: string, value: T): Disposable {
  map.set(name, value);
  return disposable(() => {
    if (map.get(name) === value) map.delete(name);
  });
}
