import { readdirSync } from "node:fs";
import path from "node:path";
import type { Machine } from "#config";
import { describe, systemErrorCode } from "#foundation/errors";
import { readTextFile } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import { parseFrontMatter } from "#foundation/text/front-matter";
import { readText, readTexts } from "#foundation/text/read-fields";
import { guardText } from "../prompt/guarded-text.ts";

/** An agent that somebody wrote down: `agents/<name>.md`. Children can be started as it. */
export interface NamedAgent {
  readonly name: string;
  readonly description: string;
  /** `name` or `provider:name`; undefined: the model of children. */
  readonly model: string | undefined;
  /** Tools and toolsets; undefined: those of the parent. */
  readonly tools: readonly string[] | undefined;
  readonly prompt: string;
  readonly file: string;
  readonly origin: "home" | "project";
}

/** A file that is no agent, and why. */
export interface BrokenAgent {
  readonly file: string;
  readonly reason: string;
}

export interface NamedAgents {
  /** By name. */
  readonly agents: readonly NamedAgent[];
  readonly broken: readonly BrokenAgent[];
}

const maxFileBytes = 128 * 1024;
const maxFiles = 200;
const namePattern = /^[a-z0-9][a-z0-9_-]{0,63}$/i;

/** The agents of the home, and those of a folder a person trusts; of two with one name the project's counts. */
export async function readNamedAgents(
  { home, loaded, logger }: Pick<Machine, "home" | "loaded" | "logger">,
  cwd: string,
): Promise<NamedAgents> {
  const own = await readFolder(home.agents, "home", logger);
  const project = path.join(cwd, ".hermes", "agents");
  const isTrusted = path.resolve(project) !== path.resolve(home.agents) && loaded.trust.isTrusted(cwd);
  const theirs = isTrusted ? await readFolder(project, "project", logger) : nobody;
  const byName = new Map([...own.agents, ...theirs.agents].map((agent) => [agent.name, agent]));
  const agents = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { agents, broken: [...own.broken, ...theirs.broken] };
}

/** What the main agent is told of them; empty when there are none. */
export function agentsBlock(agents: readonly NamedAgent[]): string {
  if (agents.length === 0) return "";
  const lines = agents.map(({ name, description }) => `- ${name}: ${description}`);
  return ["# Agents", "delegate_task can hand a task to one of these; name it as agent.", ...lines].join("\n");
}

const nobody: NamedAgents = { agents: [], broken: [] };

async function readFolder(folder: string, origin: NamedAgent["origin"], logger: Logger): Promise<NamedAgents> {
  const agents: NamedAgent[] = [];
  const broken: BrokenAgent[] = [];
  for (const name of namesIn(folder)) {
    const file = path.join(folder, name);
    const read = await readAgent(file, origin, logger);
    if (typeof read !== "string") agents.push(read);
    else {
      broken.push({ file, reason: read });
      logger.warn("an agent file cannot be used", { file, reason: read });
    }
  }
  return { agents, broken };
}

/** Read on this thread: a trip to another takes longer than reading a folder that is small, and mostly not there. */
function namesIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder);
    return names
      .filter((name) => name.endsWith(".md") && name !== "README.md")
      .sort()
      .slice(0, maxFiles);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(systemErrorCode(error) ?? "")) return [];
    throw error;
  }
}

/** The agent a file describes; a text says why it is none. */
async function readAgent(file: string, origin: NamedAgent["origin"], logger: Logger): Promise<NamedAgent | string> {
  const name = path.basename(file, ".md");
  if (!namePattern.test(name)) return "its name may hold letters, digits, - and _ only";
  let text: string;
  try {
    text = (await readTextFile(file, { maxBytes: maxFileBytes })) ?? "";
  } catch (error) {
    return describe(error);
  }
  const guarded = guardText(text, path.basename(file), logger);
  if (guarded.kind === "blocked") return `it reads like a prompt injection (${guarded.threats.join(", ")})`;
  const head = await parseFrontMatter(guarded.text);
  if (head.kind !== "parsed") return "it does not begin with front matter (---)";
  const description = readText(head.fields["description"])?.replace(/\s+/g, " ").slice(0, 300);
  if (description === undefined) return "description is missing";
  const prompt = head.body.trim();
  if (prompt === "") return "it has no text below the front matter";
  const { tools, model } = head.fields;
  return {
    name,
    description,
    model: readText(model),
    tools: tools === undefined || tools === null ? undefined : readTexts(tools),
    prompt,
    file,
    origin,
  };
}
