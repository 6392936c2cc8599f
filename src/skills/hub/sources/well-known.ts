import { readRecord, readRecords, readText, readTexts } from "#foundation/text/read-fields";
import { BundleFiles, bundlePathFault } from "../bundle.ts";
import type { HubFetch } from "../hub-fetch.ts";
import { type HubEntry, type HubSource, matchesQuery } from "../source.ts";

const prefix = "well-known:";
const skillName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Skills a web site publishes about itself: `well-known:https://host` lists them, `…#name` is one. */
export function wellKnownSource(fetch: HubFetch): HubSource {
  return {
    id: "well-known",
    owns: (identifier) => identifier.startsWith(prefix),
    async search(query, { limit, signal }) {
      const [site, ...words] = query.trim().split(/\s+/);
      const base = siteOf(site ?? "");
      if (base === undefined) return [];
      const rows = await listing(fetch, base, signal);
      return rows
        .map((row) => row.entry)
        .filter((entry) => matchesQuery(words.join(" "), [entry.name, entry.description]))
        .slice(0, limit);
    },
    async fetch(identifier, signal) {
      const [site = "", name] = identifier.slice(prefix.length).split("#");
      const base = siteOf(site);
      if (base === undefined) return undefined;
      const rows = await listing(fetch, base, signal);
      const row = name === undefined && rows.length === 1 ? rows[0] : rows.find((one) => one.entry.name === name);
      if (row === undefined) return undefined;
      const gathered = new BundleFiles();
      for (const path of row.files) {
        const bytes = await fetch.bytes(`${base}/.well-known/skills/${row.entry.name}/${path}`, { signal });
        if (bytes !== undefined) gathered.add(path, bytes);
      }
      return { entry: row.entry, files: gathered.files };
    },
  };
}

interface Row {
  readonly entry: HubEntry;
  readonly files: readonly string[];
}

async function listing(fetch: HubFetch, base: string, signal: AbortSignal): Promise<readonly Row[]> {
  const answer = readRecord(await fetch.index(`${base}/.well-known/skills/index.json`, { signal }));
  return readRecords(answer["skills"]).flatMap((one) => {
    const name = readText(one["name"]);
    if (name === undefined || !skillName.test(name)) return [];
    const files = readTexts(one["files"]).filter((path) => bundlePathFault(path) === undefined);
    const entry: HubEntry = {
      name,
      description: readText(one["description"]) ?? "",
      source: "well-known",
      identifier: `${prefix}${base}#${name}`,
      trust: "community",
      tags: [],
    };
    return [{ entry, files: files.length === 0 ? ["SKILL.md"] : files }];
  });
}

/** The origin of a site, however its address was written. */
function siteOf(input: string): string | undefined {
  const address = input.replace(/^well-known:/, "");
  if (!/^https?:\/\//.test(address)) return undefined;
  return URL.canParse(address) ? new URL(address).origin : undefined;
}
