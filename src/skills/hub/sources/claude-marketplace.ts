import { parseJson } from "#foundation/text/json";
import { readRecord, readRecords, readText, readTexts } from "#foundation/text/read-fields";
import { trustOfRepository } from "../../guard/policy.ts";
import { type HubEntry, type HubSource, matchesQuery } from "../source.ts";
import { fetchSkill, readIdentifier } from "./github.ts";
import type { GitHubClient } from "./github-client.ts";

const prefix = "claude-marketplace/";
const listingPath = ".claude-plugin/marketplace.json";

/** Repositories that list their skills in a marketplace file. Only skills of the repository itself are offered. */
export function claudeMarketplaceSource(client: GitHubClient, repositories: readonly string[]): HubSource {
  return {
    id: "claude-marketplace",
    owns: (identifier) => identifier.startsWith(prefix),
    async search(query, { limit, signal }) {
      const found: HubEntry[] = [];
      for (const repository of repositories) found.push(...(await listing(client, repository, signal)));
      return found.filter((one) => matchesQuery(query, [one.name, one.description])).slice(0, limit);
    },
    async fetch(identifier, signal) {
      const location = readIdentifier(identifier.slice(prefix.length));
      if (location === undefined) return undefined;
      return await fetchSkill(client, location, { source: "claude-marketplace", identifier, signal });
    },
  };
}

async function listing(client: GitHubClient, repository: string, signal: AbortSignal): Promise<readonly HubEntry[]> {
  const tree = (await client.tree(repository, signal)) ?? [];
  const file = tree.find((one) => one.path === listingPath && one.kind === "blob");
  if (file === undefined) return [];
  const parsed = parseJson(new TextDecoder().decode(await client.blob(repository, file, signal)));
  const plugins = readRecords(readRecord(parsed.ok ? parsed.value : undefined)["plugins"]);
  return plugins.flatMap((plugin) => {
    const base = inRepository(readText(plugin["source"]) ?? "./");
    if (base === undefined) return [];
    const paths = readTexts(plugin["skills"]).flatMap((path) => join(base, path) ?? []);
    return (paths.length === 0 && base !== "" ? [base] : paths).map((path) => entryFor(repository, path, plugin));
  });
}

function entryFor(repository: string, path: string, plugin: Readonly<Record<string, unknown>>): HubEntry {
  const [owner = "", name = ""] = repository.split("/");
  return {
    name: path.split("/").at(-1) ?? path,
    description: readText(plugin["description"]) ?? "",
    source: "claude-marketplace",
    identifier: `${prefix}${repository}/${path}`,
    trust: trustOfRepository(owner, name),
    tags: [],
  };
}

/** `./a/b` as `a/b`; undefined for anything outside the repository. */
function inRepository(path: string): string | undefined {
  if (!path.startsWith("./") && path !== ".") return undefined;
  return join("", path);
}

function join(base: string, path: string): string | undefined {
  const parts = `${base}/${path}`.split("/").filter((part) => part !== "" && part !== ".");
  return parts.includes("..") ? undefined : parts.join("/");
}
