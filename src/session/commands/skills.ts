import type { SlashCommand } from "./command.ts";
import { fault, say, warn } from "./views.ts";

const hubWords = ["search", "browse", "inspect", "install"];

export const skillsCommand: SlashCommand = {
  name: "skills",
  description: "List the skills, or search, browse, inspect and install them",
  category: "Tools & Skills",
  argsHint: "search|browse|inspect|install",
  subcommands: hubWords,
  cliOnly: true,
  whileRunning: "now",
  whileRunningFor: ([first]) => (first?.toLowerCase() === "install" ? "busy" : "now"),
  async run({ catalog, words, deps, signal }) {
    const [first] = words;
    if (first === undefined) {
      if (catalog.skills.length === 0) return say("No skill is installed. /skills browse shows what there is.");
      const rows = catalog.skills.map(({ slug, description }) => [`/${slug}`, description]);
      return { kind: "table", title: "Skills", columns: ["Command", "What it does"], rows };
    }
    if (!hubWords.includes(first.toLowerCase())) return warn(`/skills ${hubWords.join(", /skills ")}`);
    if (deps.skillHub === undefined) return fault(`Not here. In a shell: hermes skills ${words.join(" ")}`);
    return await deps.skillHub(words, signal);
  },
};

export const memoryCommand: SlashCommand = {
  name: "memory",
  description: "Show memory writes that wait for you; keep or refuse them",
  category: "Tools & Skills",
  argsHint: "[confirm|reject id]",
  subcommands: ["confirm", "reject"],
  whileRunning: "now",
  async complete({ session, words }) {
    return words.length === 0 ? [] : (await session.handle.memory.pending()).map((one) => one.id);
  },
  async run({ session, words }) {
    const [first, id] = words;
    const { memory } = session.handle;
    const verb = first?.toLowerCase();
    if (verb === "confirm" || verb === "reject") {
      if (id === undefined) return warn(`Which one? /memory ${verb} <id>`);
      return say(await memory[verb](id));
    }
    if (verb !== undefined && verb !== "pending") return warn("/memory, /memory confirm <id> or /memory reject <id>");
    const pending = await memory.pending();
    if (pending.length === 0) return say("Nothing waits for you.");
    const rows = pending.map((one) => [one.id, one.source, one.text]);
    return { kind: "table", title: "Waiting to be remembered", columns: ["Id", "From", "Text"], rows };
  },
};
