import { readRecord, readRecords, readText } from "#foundation/text/read-fields";
import { trustOfRepository } from "../../guard/policy.ts";
import type { HubFetch } from "../hub-fetch.ts";
import { isRepository } from "../repository.ts";
import type { HubSource } from "../source.ts";
import { fetchSkill, readIdentifier } from "./github.ts";
import type { GitHubClient } from "./github-client.ts";

const prefix = "skills-sh/";

/** The catalogue skills.sh: it knows where skills are; the content comes from GitHub. */
export function skillsShSource(fetch: HubFetch, client: GitHubClient, baseUrl: string): HubSource {
  return {
    id: "skills-sh",
    owns: (identifier) => identifier.startsWith(prefix),
    async search(query, { limit, signal }) {
      // The service answers nothing to shorter questions.
      if (query.trim().length < 2) return [];
      const url = `${baseUrl}/api/search?q=${encodeURIComponent(query)}&limit=${limit}`;
      const answer = readRecord(await fetch.index(url, { signal }));
      return readRecords(answer["skills"]).flatMap((one) => {
        const repository = readText(one["source"] ?? one["topSource"]);
        const skill = readText(one["skillId"] ?? one["name"]);
        if (repository === undefined || skill === undefined || !isRepository(repository)) return [];
        const [owner = "", name = ""] = repository.split("/");
        const installs = readText(one["installs"]);
        return [
          {
            name: skill,
            description: `from ${repository}${installs === undefined ? "" : `, installed ${installs} times`}`,
            source: "skills-sh",
            identifier: `${prefix}${repository}/${skill}`,
            trust: trustOfRepository(owner, name),
            tags: [],
          },
        ];
      });
    },
    async fetch(identifier, signal) {
      const location = readIdentifier(identifier.slice(prefix.length));
      return location === undefined
        ? undefined
        : await fetchSkill(client, location, { source: "skills-sh", identifier, signal });
    },
  };
}
