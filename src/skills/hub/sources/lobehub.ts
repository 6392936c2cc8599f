import { readRecord, readRecords, readText, readTexts } from "#foundation/text/read-fields";
import type { HubFetch } from "../hub-fetch.ts";
import { type HubEntry, type HubSource, matchesQuery } from "../source.ts";

const prefix = "lobehub/";
const agentName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** LobeHub's agents, each turned into a skill: its role becomes the instructions. */
export function lobehubSource(fetch: HubFetch, baseUrl: string): HubSource {
  return {
    id: "lobehub",
    owns: (identifier) => identifier.startsWith(prefix),
    async search(query, { limit, signal }) {
      const answer = readRecord(await fetch.index(`${baseUrl}/index.json`, { signal }));
      return readRecords(answer["agents"])
        .flatMap(entryOf)
        .filter((one) => matchesQuery(query, [one.name, one.description, ...one.tags]))
        .slice(0, limit);
    },
    async fetch(identifier, signal) {
      const name = identifier.slice(prefix.length);
      if (!agentName.test(name)) return undefined;
      const answer = readRecord(await fetch.json(`${baseUrl}/${name}.json`, { signal }));
      const [entry] = entryOf({ identifier: name, ...answer });
      const role = readText(readRecord(answer["config"])["systemRole"]);
      if (entry === undefined || role === undefined) return undefined;
      return { entry, files: new Map([["SKILL.md", new TextEncoder().encode(skillText(entry, role))]]) };
    },
  };
}

function entryOf(agent: Readonly<Record<string, unknown>>): readonly HubEntry[] {
  const name = readText(agent["identifier"]);
  if (name === undefined || !agentName.test(name)) return [];
  const meta = readRecord(agent["meta"]);
  return [
    {
      name: name.toLowerCase(),
      description: (readText(meta["description"]) ?? readText(meta["title"]) ?? name).slice(0, 1_024),
      source: "lobehub",
      identifier: `${prefix}${name}`,
      trust: "community",
      tags: readTexts(meta["tags"]),
    },
  ];
}

/** JSON is YAML, so values are quoted by it and cannot end the head early. */
function skillText(entry: HubEntry, role: string): string {
  const head = [
    `name: ${JSON.stringify(entry.name)}`,
    `description: ${JSON.stringify(entry.description.replace(/\s+/g, " "))}`,
    `metadata: ${JSON.stringify({ hermes: { tags: entry.tags }, source: entry.identifier })}`,
  ];
  return `---\n${head.join("\n")}\n---\n\n${role.trim()}\n`;
}
