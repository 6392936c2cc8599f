import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { never } from "#foundation/lifecycle/abort";
import { Scope } from "#foundation/lifecycle/disposal";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { ToolRegistry } from "#tools";
import { noSessions, type PluginWiring } from "./context.ts";
import { Contributions } from "./contributions.ts";
import { Hooks } from "./hooks/hooks.ts";
import { PluginHost, type PluginHostOptions } from "./host.ts";
import { PluginCalls } from "./plugin-calls.ts";
import { ProjectTrust } from "./project-trust.ts";

export interface PluginStage extends AsyncDisposable {
  readonly home: string;
  readonly logger: ReturnType<typeof memoryLogger>;
  readonly registry: ToolRegistry;
  readonly hooks: Hooks;
  readonly contributions: Contributions;
  readonly trust: ProjectTrust;
  /** Writes files under the home: path to content. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
  host(enabled: readonly string[], options?: StageOptions): PluginHost;
}

export type StageOptions = Partial<Omit<PluginHostOptions, "wiring">> & { readonly wiring?: Partial<PluginWiring> };

/** A home with a registry and hooks, and whatever hosts a test opens, all gone afterwards. */
export async function pluginStage(): Promise<PluginStage> {
  const scope = new Scope();
  const home = await mkdtemp(join(tmpdir(), "hermes-plugins-"));
  scope.defer(() => rm(home, { recursive: true, force: true }));
  const logger = memoryLogger();
  const registry = new ToolRegistry(logger);
  const calls = new PluginCalls();
  const hooks = new Hooks({ logger, calls });
  const contributions = new Contributions({ logger, builtinCommands: new Set(["help", "model"]) });
  const trust = new ProjectTrust(join(home, "trust.json"), never);
  const own = { calls, sessions: noSessions, hermesHome: home, config: {} };
  const wiring: PluginWiring = { registry, hooks, contributions, logger, ...own };
  return {
    home,
    logger,
    registry,
    hooks,
    contributions,
    trust,
    async write(files) {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(home, path)), { recursive: true });
        await writeFile(join(home, path), text, { mode: 0o755 });
      }
    },
    host: (enabled, { wiring: changes = {}, ...options } = {}) =>
      scope.adopt(
        new PluginHost({
          locations: { user: join(home, "plugins") },
          choice: { enabled, disabled: [] },
          env: {},
          trust,
          wiring: { ...wiring, ...changes },
          ...options,
        }),
      ),
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}
