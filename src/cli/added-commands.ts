import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { silentLogger } from "#foundation/files/logger";
import { Scope } from "#foundation/lifecycle/disposal";
import { importModule } from "#foundation/process/import-module";
import type { Command, CommandIo, Invocation } from "./command.ts";
import { commandNames } from "./command-names.ts";
import { globalFlags, readGlobalFlags } from "./global-flags.ts";
import { parseLine } from "./parse.ts";
import { homeOf } from "./support/home.ts";
import { loadSettings } from "./support/settings.ts";

/** The tree with commands that others brought; they work as long as it is not disposed. */
export interface AddedCommands extends AsyncDisposable {
  readonly tree: Command;
}

/**
 * The tree with the commands of the chosen memory provider and of enabled plugins. They cannot take a name that is
 * ours, and nothing of theirs is loaded unless a word was typed that only they can know, or help was asked for.
 */
export async function withAddedCommands(tree: Command, argv: readonly string[], io: CommandIo): Promise<AddedCommands> {
  const scope = new Scope();
  const end = { [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose]() };
  const invocation = bareInvocation(tree, argv, io);
  // Most homes have no plugins, and help should not cost them the looking.
  const hasPlugins = existsSync(homeOf(invocation).plugins);
  const added = [...(await memoryCommands(invocation)), ...(hasPlugins ? await pluginCommands(invocation, scope) : [])];
  const taken = new Set(commandNames(tree));
  const free = added.filter((one) => !taken.has(one.name));
  return { tree: { ...tree, commands: [...(tree.commands ?? []), ...free] }, ...end };
}

/** Only the global options count here: which home, which file of settings. */
function bareInvocation(root: Command, argv: readonly string[], io: CommandIo): Invocation {
  const wanted = new Set(
    globalFlags.filter((flag) => flag.kind === "text").flatMap((f) => [`--${f.name}`, `-${f.short}`]),
  );
  const words = argv.flatMap((word, index) => {
    if (wanted.has(word)) return [word, argv[index + 1] ?? ""];
    return [...wanted].some((name) => word.startsWith(`${name}=`)) ? [word] : [];
  });
  const { flags } = parseLine({ name: "hermes", about: "" }, words);
  return { flags, args: [], io, global: readGlobalFlags(flags, io), root };
}

async function memoryCommands(invocation: Invocation): Promise<readonly Command[]> {
  const { home, loaded } = await loadSettings(invocation, { isQuiet: true });
  const { provider } = loaded.config.memory;
  if (provider === "" || !/^[\w-]+$/.test(provider)) return [];
  const { activeProviderCommands, bundledProviders } = await import("#agent");
  const bundled = bundledProviders.find(({ name }) => name === provider);
  const found = await activeProviderCommands({
    active: provider,
    loadCli: async () => {
      const host = { variables: loaded.environment.variables, hermesHome: home.root };
      if (bundled !== undefined) return await bundled.loadCli?.(host);
      const file = cliModule(home.plugins, provider);
      return file === undefined ? undefined : await importModule(pathToFileURL(file).href);
    },
    logger: silentLogger,
  });
  if (found === undefined) return [];
  const commands = [...found.subcommands.values()].map(
    (one): Command => ({
      name: one.name,
      about: one.description,
      args: [{ name: "args", isOptional: true, isRest: true }],
      run: async ({ args, io }) => await one.run(args, io.signal),
    }),
  );
  return [{ name: found.provider, about: "Commands of the memory provider", commands }];
}

/** The `cli` module of a provider that is a plugin. */
function cliModule(plugins: string, provider: string): string | undefined {
  return [provider, path.join("memory", provider)]
    .flatMap((folder) => ["cli.js", "cli.mjs"].map((name) => path.join(plugins, folder, name)))
    .find((file) => existsSync(file));
}

async function pluginCommands(invocation: Invocation, scope: Scope): Promise<readonly Command[]> {
  const { openPlugins } = await import("./support/plugins.ts");
  const plugins = await openPlugins(invocation, { isLoaded: true });
  scope.adopt(plugins.host);
  return [...plugins.contributions.cliCommands.values()].map(
    (one): Command => ({
      name: one.name,
      about: one.help,
      args: [{ name: "args", isOptional: true, isRest: true }],
      run: async ({ args }) => await one.handler(args),
    }),
  );
}
