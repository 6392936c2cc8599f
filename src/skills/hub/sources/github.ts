import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import { trustOfRepository } from "../../guard/policy.ts";
import { readSkillText } from "../../library/skill.ts";
import { BundleFiles } from "../bundle.ts";
import { isRepository } from "../repository.ts";
import { type HubEntry, type HubSource, matchesQuery, type SkillBundle } from "../source.ts";
import type { GitHubClient, TreeEntry } from "./github-client.ts";

const skillFile = /(?:^|\/)SKILL\.md$/;

/** Skills in GitHub repositories: any by `owner/repo/path`, and those of the taps by searching. */
export function githubSource(client: GitHubClient, taps: () => Promise<readonly string[]>): HubSource {
  return {
    id: "github",
    owns: (identifier) => readIdentifier(identifier) !== undefined,
    async search(query, { limit, signal }) {
      const found: HubEntry[] = [];
      for (const repository of await taps()) {
        if (found.length >= limit) break;
        found.push(...(await searchRepository(client, repository, { query, limit: limit - found.length, signal })));
      }
      return found;
    },
    async fetch(identifier, signal) {
      const location = readIdentifier(identifier);
      return location === undefined
        ? undefined
        : await fetchSkill(client, location, { source: "github", identifier, signal });
    },
  };
}

export interface GitHubLocation {
  readonly repository: string;
  /** Folder of the skill, or the last part of it; empty for a repository that is one skill. */
  readonly path: string;
}

/** `github:owner/repo/path`, `owner/repo/path`, or an address on github.com. */
export function readIdentifier(identifier: string): GitHubLocation | undefined {
  const plain = identifier
    .replace(/^github:/, "")
    .replace(/^https:\/\/github\.com\//, "")
    .replace(/\/tree\/[^/]+(?=\/|$)/, "")
    .replace(/\/+$/, "");
  const [owner = "", name = "", ...rest] = plain.split("/");
  const isPath = rest.every((part) => part !== "" && part !== ".." && part !== "." && !/[\p{Cc}\\?#]/u.test(part));
  if (owner === "official" || !isRepository(`${owner}/${name}`) || !isPath) return undefined;
  return { repository: `${owner}/${name}`, path: rest.join("/") };
}

async function searchRepository(
  client: GitHubClient,
  repository: string,
  request: { readonly query: string; readonly limit: number; readonly signal: AbortSignal },
): Promise<readonly HubEntry[]> {
  const tree = (await client.tree(repository, request.signal)) ?? [];
  const folders = tree.filter((one) => one.kind === "blob" && skillFile.test(one.path));
  const named = folders.filter((one) => matchesQuery(request.query, [one.path])).slice(0, request.limit);
  const entries: HubEntry[] = [];
  for (const file of named) {
    const folder = file.path.replace(/\/?SKILL\.md$/, "");
    const text = new TextDecoder().decode(await client.blob(repository, file, request.signal));
    const { facts } = await readSkillText(text, folder.split("/").at(-1) ?? repository);
    entries.push(
      entryFor({ repository, path: folder }, facts, { source: "github", identifier: `${repository}/${folder}` }),
    );
  }
  return entries;
}

/** Downloads one skill folder. Its revision is the hash GitHub gives the folder, so that checking for updates costs one request. */
export async function fetchSkill(
  client: GitHubClient,
  location: GitHubLocation,
  as: { readonly source: string; readonly identifier: string; readonly signal: AbortSignal },
): Promise<SkillBundle | undefined> {
  const tree = await client.tree(location.repository, as.signal);
  const folder = tree === undefined ? undefined : findFolder(tree, location.path);
  if (tree === undefined || folder === undefined) return undefined;
  const prefix = folder === "" ? "" : `${folder}/`;
  const wanted = tree.filter((one) => one.kind === "blob" && one.path.startsWith(prefix));
  const gathered = new BundleFiles();
  for (const file of wanted)
    gathered.add(file.path.slice(prefix.length), await client.blob(location.repository, file, as.signal));
  const text = new TextDecoder().decode(gathered.files.get("SKILL.md"));
  const { facts } = await readSkillText(text, folder.split("/").at(-1) || (location.repository.split("/")[1] ?? ""));
  const revision = tree.find((one) => one.kind === "tree" && one.path === folder)?.sha;
  const entry = entryFor({ ...location, path: folder }, facts, as);
  return { entry, files: gathered.files, ...defined({ revision }) };
}

/** The folder as given, or the only one that ends like it. */
function findFolder(tree: readonly TreeEntry[], path: string): string | undefined {
  const folders = tree
    .filter((one) => one.kind === "blob" && skillFile.test(one.path))
    .map((one) => one.path.replace(/\/?SKILL\.md$/, ""));
  if (folders.includes(path)) return path;
  const ending = folders.filter((one) => one.endsWith(`/${path}`));
  if (ending.length > 1)
    throw new UserError(`Several skills end in ${path}: ${ending.slice(0, 5).join(", ")}.`, {
      hint: "Give the whole path.",
      code: "skill_ambiguous",
    });
  return ending[0];
}

function entryFor(
  location: GitHubLocation,
  facts: { readonly name: string; readonly description: string; readonly tags: readonly string[] },
  as: { readonly source: string; readonly identifier: string },
): HubEntry {
  const [owner = "", name = ""] = location.repository.split("/");
  return {
    name: facts.name,
    description: facts.description,
    source: as.source,
    identifier: as.identifier,
    trust: trustOfRepository(owner, name),
    tags: facts.tags,
  };
}
