import {
  bundledProviders,
  isMemoryProvider,
  type MemoryProvider,
  MemoryWrites,
  Notes,
  type ProviderHost,
  Quarantine,
} from "#agent";
import { UserError } from "#foundation/errors";
import { silentLogger } from "#foundation/files/logger";
import { Scope } from "#foundation/lifecycle/disposal";
import { systemClock } from "#foundation/time/clock";
import type { Invocation } from "../command.ts";
import { openPlugins } from "./plugins.ts";
import { loadSettings, type Settings } from "./settings.ts";

export interface OpenNotes extends Settings {
  readonly notes: Notes;
  readonly quarantine: Quarantine;
  readonly writes: MemoryWrites;
}

/** The built-in notes of the home. */
export async function openNotes(invocation: Invocation): Promise<OpenNotes> {
  const settings = await loadSettings(invocation);
  const { memory } = settings.loaded.config;
  const location = { folder: settings.home.memories, clock: systemClock };
  const notes = new Notes({
    ...location,
    settings: {
      memory: { isEnabled: memory.memory_enabled, limit: memory.memory_char_limit },
      user: { isEnabled: memory.user_profile_enabled, limit: memory.user_char_limit },
    },
  });
  const quarantine = new Quarantine(location);
  const writes = new MemoryWrites({ notes, quarantine, logger: silentLogger, mirror: () => undefined });
  return { ...settings, notes, quarantine, writes };
}

/** Carries out a change of the notes that waited for the person. */
export async function confirmPending(
  writes: MemoryWrites,
  { id, platform }: { readonly id: string; readonly platform: string },
  signal: AbortSignal,
): Promise<{ readonly kind: "write" | "already-there" }> {
  const metadata = {
    writeOrigin: "user_confirmation",
    executionContext: "primary",
    sessionId: "",
    parentSessionId: "",
    platform,
    toolName: "memory",
  };
  const decision = await writes.confirm(id, metadata, signal);
  if (decision === undefined) throw nothingWaits(id);
  if (decision.kind === "no-provider")
    throw new UserError(`It belongs to the memory provider ${decision.provider}, which only runs in a session.`, {
      code: "memory_provider_not_in_use",
      hint: `Set it up (hermes memory setup ${decision.provider}), open the chat and confirm it there: /memory confirm ${id}`,
    });
  if (decision.kind !== "write" && decision.kind !== "already-there")
    throw new UserError(`It no longer fits (${decision.kind}); it is still pending.`, {
      code: "memory_conflict",
      hint: `Make room in the notes, or drop it: hermes memory reject ${id}`,
    });
  return { kind: decision.kind };
}

export async function rejectPending(writes: MemoryWrites, id: string, signal: AbortSignal): Promise<void> {
  if (!(await writes.reject(id, signal))) throw nothingWaits(id);
}

function nothingWaits(id: string): UserError {
  return new UserError(`Nothing is pending under "${id}".`, {
    code: "pending_not_found",
    hint: "See them with: hermes memory pending",
  });
}

export interface ProviderOffer {
  readonly name: string;
  readonly description: string;
  readonly isBundled: boolean;
}

/** Providers that can be chosen: those that come with the program, and plugins of that kind. */
export async function memoryProviders(invocation: Invocation): Promise<readonly ProviderOffer[]> {
  const { host } = await openPlugins(invocation, { isLoaded: false });
  await using _plugins = host;
  const bundled = bundledProviders.map(({ name, description }) => ({ name, description, isBundled: true }));
  const names = new Set(bundled.map(({ name }) => name));
  const plugged = host.list
    .filter((one) => one.state.kind === "recorded" && !names.has(lastPart(one.key)))
    .map(({ key, description }) => ({ name: lastPart(key), description, isBundled: false }));
  return [...bundled, ...plugged];
}

export interface LoadedProvider extends AsyncDisposable {
  readonly provider: MemoryProvider;
}

/** The provider of this name, loaded but not started; undefined when there is none or it does not load. */
export async function loadProvider(invocation: Invocation, name: string): Promise<LoadedProvider | undefined> {
  const scope = new Scope();
  const end = { [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose]() };
  const bundled = bundledProviders.find((one) => one.name === name);
  if (bundled !== undefined) return { provider: await bundled.load(await providerHost(invocation)), ...end };
  const { host, contributions } = await openPlugins(invocation, { isLoaded: false });
  scope.adopt(host);
  const key = host.list.find((one) => one.key === name || lastPart(one.key) === name)?.key;
  const state = await host.enable(key ?? name);
  const provider: unknown = contributions.memoryProvider;
  if (state.kind === "enabled" && isMemoryProvider(provider)) return { provider, ...end };
  await scope[Symbol.asyncDispose]();
  return undefined;
}

/** A provider may lie in `plugins/<name>/` or in `plugins/memory/<name>/`. */
function lastPart(key: string): string {
  return key.split("/").at(-1) ?? key;
}

/** What bundled providers are made from. */
export async function providerHost(invocation: Invocation): Promise<ProviderHost> {
  const { home, loaded } = await loadSettings(invocation, { isQuiet: true });
  return { variables: loaded.environment.variables, hermesHome: home.root };
}
