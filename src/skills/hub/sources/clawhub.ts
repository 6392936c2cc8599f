import { readRecord, readRecords, readText } from "#foundation/text/read-fields";
import { bundleLimits } from "../bundle.ts";
import type { HubFetch } from "../hub-fetch.ts";
import type { HubEntry, HubSource } from "../source.ts";
import { unzip } from "../zip.ts";

const prefix = "clawhub/";
const slugPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** The registry ClawHub: search by meaning, download as an archive. Everything in it is from strangers. */
export function clawhubSource(fetch: HubFetch, baseUrl: string): HubSource {
  return {
    id: "clawhub",
    owns: (identifier) => identifier.startsWith(prefix),
    async search(query, { limit, signal }) {
      const url =
        query.trim() === ""
          ? `${baseUrl}/api/v1/skills?limit=${limit}`
          : `${baseUrl}/api/v1/search?q=${encodeURIComponent(query)}&limit=${limit}`;
      const answer = await fetch.index(url, { signal });
      const rows = Array.isArray(answer)
        ? readRecords(answer)
        : readRecords(readRecord(answer)["results"] ?? readRecord(answer)["items"]);
      return rows.flatMap(entryOf).slice(0, limit);
    },
    async fetch(identifier, signal) {
      const slug = identifier.slice(prefix.length);
      if (!slugPattern.test(slug)) return undefined;
      const facts = readRecord(await fetch.json(`${baseUrl}/api/v1/skills/${slug}`, { signal }));
      const skill = readRecord(facts["skill"] ?? facts);
      const version = readText(readRecord(facts["latestVersion"] ?? skill["latestVersion"])["version"]);
      const [entry] = entryOf({ slug, ...skill });
      if (entry === undefined || version === undefined) return undefined;
      const query = `slug=${slug}&version=${encodeURIComponent(version)}`;
      const archive = await fetch.bytes(`${baseUrl}/api/v1/download?${query}`, {
        signal,
        maxBytes: bundleLimits.totalBytes,
      });
      return archive === undefined ? undefined : { entry, files: unzip(archive), revision: version };
    },
  };
}

function entryOf(row: Readonly<Record<string, unknown>>): readonly HubEntry[] {
  const slug = readText(row["slug"]);
  if (slug === undefined || !slugPattern.test(slug)) return [];
  return [
    {
      name: slug,
      description: readText(row["summary"] ?? row["displayName"]) ?? "",
      source: "clawhub",
      identifier: `${prefix}${slug}`,
      trust: "community",
      tags: [],
    },
  ];
}
