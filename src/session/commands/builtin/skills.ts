import { describe } from "#foundation/errors";
import { byteSize } from "#foundation/text/figures";
import type { GuardReport, SearchOutcome, SkillHub } from "#skills";
import type { CommandView } from "../../api.ts";
import { defineCommand } from "../command.ts";
import { fault, say, warn } from "../views.ts";

const found = 20;
const shownFindings = 10;
const excerpt = 4_000;

export const skillsCommand = defineCommand({
  name: "skills",
  description: "List the skills; find and install others",
  category: "Tools & Skills",
  argsHint: "[search words | browse [page] | inspect id | install id [--force]]",
  subcommands: ["search", "browse", "inspect", "install"],
  cliOnly: true,
  whileRunning: "now",
  takes: ["skills"],
  async run({ catalog, words, signal }, { skills }) {
    const [verb = "", ...rest] = words;
    const isForced = rest.includes("--force");
    const asked = rest.filter((word) => word !== "--force").join(" ");
    const work = verbs[verb.toLowerCase()];
    if (work === undefined) return installed(catalog.skills);
    if (asked === "" && work.needs !== undefined) return warn(`Usage: /skills ${verb} <${work.needs}>`);
    try {
      return await work.run(await skills.hub(), { asked, isForced }, signal);
    } catch (error) {
      signal.throwIfAborted();
      return fault(describe(error));
    }
  },
});

interface Asked {
  readonly asked: string;
  readonly isForced: boolean;
}

interface Verb {
  readonly needs?: string;
  run(hub: SkillHub, asked: Asked, signal: AbortSignal): Promise<CommandView>;
}

const verbs: Readonly<Record<string, Verb>> = {
  search: {
    needs: "words",
    run: async (hub, { asked }, signal) => entriesView(await hub.search(asked, { limit: found, signal })),
  },
  browse: {
    async run(hub, { asked }, signal) {
      const page = Math.max(1, Number.parseInt(asked, 10) || 1);
      const outcome = await hub.browse({ page, size: found, signal });
      return entriesView(outcome, outcome.hasMore ? `More: /skills browse ${page + 1}` : "");
    },
  },
  inspect: {
    needs: "id",
    async run(hub, { asked }, signal) {
      const { bundle, report } = await hub.inspect(asked, signal);
      const text = new TextDecoder().decode(bundle.files.get("SKILL.md"));
      const files = [...bundle.files].map(([path, bytes]) => `  ${path}  ${byteSize(bytes.length)}`);
      const { name, identifier, trust, description } = bundle.entry;
      const head = [`${name}  ${identifier} (${trust})`, description, ...files, reportText(report)];
      return say([...head, "", text.slice(0, excerpt)].join("\n"));
    },
  },
  install: {
    needs: "id",
    async run(hub, { asked, isForced }, signal) {
      const outcome = await hub.install(asked, { isForced, signal });
      if (outcome.kind === "blocked") {
        const how = outcome.canForce ? `\nIf you have read it and trust it: /skills install ${asked} --force` : "";
        return warn(`${asked} was not installed: ${outcome.reason}.\n${reportText(outcome.report)}${how}`);
      }
      const what = outcome.kind === "updated" ? "Updated" : "Installed";
      return say(`${what} ${outcome.entry.name}. Guard: ${outcome.report.verdict}. Use it with /${outcome.entry.name}`);
    },
  },
};

function installed(skills: readonly { readonly slug: string; readonly description: string }[]): CommandView {
  if (skills.length === 0) return say("No skill is installed. See what there is: /skills browse");
  const rows = skills.map(({ slug, description }) => [`/${slug}`, description]);
  return { kind: "table", title: "Skills", columns: ["Command", "What it does"], rows };
}

/** Hubs that could not be asked are named. */
function entriesView({ entries, failures }: SearchOutcome, more = ""): CommandView {
  const missed = failures.map(({ source, reason }) => `${source} could not be reached: ${reason}`);
  if (entries.length === 0) return warn(["Nothing was found.", ...missed].join("\n"));
  const rows = entries.map(({ identifier, trust, description }) => [identifier, trust, description]);
  const title = ["Skills in hubs", ...missed, more].filter((line) => line !== "").join(" · ");
  return { kind: "table", title, columns: ["Identifier", "Trust", "What it does"], rows };
}

function reportText({ verdict, findings }: GuardReport): string {
  const lines = findings
    .slice(0, shownFindings)
    .map(({ severity, file, line, says }) => `  ${severity} ${file}${line === undefined ? "" : `:${line}`}  ${says}`);
  return [`Guard: ${verdict}`, ...lines].join("\n");
}
