import { readdir } from "node:fs/promises";
import { UserError } from "#foundation/errors";
import type { CompletionKind, Invocation } from "../command.ts";
import { homeOf } from "../support/home.ts";
import type { Candidate } from "./complete.ts";

const mostSessions = 30;

/** Names that exist only now. What cannot be read offers nothing: a shell has no use for an error. */
export async function dynamicNames(kind: CompletionKind, invocation: Invocation): Promise<readonly Candidate[]> {
  try {
    return await namesOf(kind, invocation);
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}

async function namesOf(kind: CompletionKind, invocation: Invocation): Promise<readonly Candidate[]> {
  switch (kind) {
    case "profile": {
      const { Profiles } = await import("#config");
      return plain((await new Profiles(invocation.io.env).list()).map(({ name }) => name));
    }
    case "provider": {
      const { ProviderRegistry } = await import("#model");
      return new ProviderRegistry().all().map(({ id, label }) => ({ word: id, about: label }));
    }
    case "session": {
      const { openExistingStore } = await import("../support/store.ts");
      await using store = await openExistingStore(invocation);
      const sessions = (await store?.sessions.list({ limit: mostSessions, excludeSources: ["tool"] })) ?? [];
      return sessions.map(({ id, title, preview }) => ({ word: id, about: title ?? preview }));
    }
    case "config-key": {
      const { describeSettings } = await import("#config");
      return (await describeSettings()).map(({ key, description }) => ({ word: key, about: description }));
    }
    case "skill":
      return plain(await skillNames(invocation));
    case "plugin":
      return plain(await folderNames(homeOf(invocation).plugins));
    case "mcp-server": {
      const { loadSettings } = await import("../support/settings.ts");
      const { loaded } = await loadSettings(invocation, { isQuiet: true });
      return plain(Object.keys(loaded.config.mcp_servers));
    }
    case "log": {
      const files = (await readdir(homeOf(invocation).logs).catch(() => [])).filter((name) => name.endsWith(".log"));
      return plain([...new Set(["agent", "errors", "gateway", "list", ...files.map((name) => name.slice(0, -4))])]);
    }
    case "file":
      return plain([":files"]);
  }
}

/** Folders that hold a skill, one or two levels down. */
async function skillNames(invocation: Invocation): Promise<readonly string[]> {
  const { skills } = homeOf(invocation);
  const top = await folderNames(skills);
  const inner = await Promise.all(top.map(async (name) => ({ name, below: await folderNames(`${skills}/${name}`) })));
  return inner.flatMap(({ name, below }) => (below.length === 0 ? [name] : below)).sort();
}

async function folderNames(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")).map((entry) => entry.name);
}

const plain = (words: readonly string[]): readonly Candidate[] => words.map((word) => ({ word, about: "" }));
