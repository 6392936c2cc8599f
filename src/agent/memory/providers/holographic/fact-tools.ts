import type { ToolDefinition } from "#conversation";
import { defined } from "#foundation/defined";
import { scrubSurrogates } from "#foundation/text/json";
import { codePointLength } from "#foundation/text/text";
import { scanThreats } from "../../../threat-scan.ts";
import { contradictions } from "./contradictions.ts";
import type { FactDatabase } from "./database.ts";
import type { Fact } from "./fact.ts";
import { Facts } from "./facts.ts";
import { Recall, type RecallOptions, type Scored } from "./recall.ts";

export const factActions = [
  "add",
  "search",
  "probe",
  "related",
  "reason",
  "contradict",
  "update",
  "remove",
  "list",
] as const;
const categories = ["user_pref", "project", "tool", "general"] as const;

export const factToolDefinitions: readonly ToolDefinition[] = [
  {
    name: "fact_store",
    description:
      "A long memory of single facts, searched when needed, beside the short notes of memory. add: one fact per call, naming who or what it is " +
      "about. search: by words. probe: all about one entity. related: what hangs together with it. reason: facts that connect several entities. " +
      "contradict: facts that may not both be true. update, remove: by fact_id. list: the most trusted. Probe before you ask the user again.",
    parameters: {
      type: "object",
      properties: {
        action: { type: "string", enum: [...factActions] },
        content: { type: "string", description: "The fact (add, update)" },
        query: { type: "string", description: "Words to look for (search)" },
        entity: { type: "string", description: "A name (probe, related)" },
        entities: { type: "array", items: { type: "string" }, description: "Names (reason)" },
        fact_id: { type: "integer", description: "Which fact (update, remove)" },
        category: { type: "string", enum: [...categories] },
        tags: { type: "string", description: "Comma-separated" },
        trust_delta: { type: "number", description: "Added to the trust (update)" },
        min_trust: { type: "number", description: "Leave out less trusted facts (default 0.3)" },
        limit: { type: "integer", description: "At most so many (default 10)" },
      },
      required: ["action"],
    },
  },
  {
    name: "fact_feedback",
    description:
      "Say whether a fact from fact_store proved right (helpful) or wrong, stale or useless (unhelpful); it is trusted more or less from then on.",
    parameters: {
      type: "object",
      properties: {
        action: { type: "string", enum: ["helpful", "unhelpful"] },
        fact_id: { type: "integer" },
      },
      required: ["action", "fact_id"],
    },
  },
];

type Args = Readonly<Record<string, unknown>>;
type Answer = Readonly<Record<string, unknown>>;

const maxContentChars = 2_000;
const maxShortChars = 200;
const maxLimit = 50;

/** Answers the calls of both tools. What is wrong with a call is part of the answer; nothing here throws for it. */
export class FactTools {
  readonly #database: FactDatabase;
  readonly #facts: Facts;
  readonly #recall: Recall;
  readonly #minTrust: number;

  constructor(database: FactDatabase, options: { readonly minTrust: number }) {
    this.#database = database;
    this.#facts = new Facts(database);
    this.#recall = new Recall(database);
    this.#minTrust = options.minTrust;
  }

  async call(name: string, args: Args, signal: AbortSignal): Promise<Answer> {
    if (name === "fact_feedback") return this.#feedback(args, signal);
    if (name !== "fact_store") return wrong(`There is no tool ${name} here.`);
    const action = factActions.find((one) => one === args["action"]);
    if (action === undefined) return wrong(`action must be one of ${factActions.join(", ")}.`);
    if (action === "add") return this.#add(args, signal);
    if (action === "update") return this.#update(args, signal);
    if (action === "remove") return this.#remove(args, signal);
    return this.#read(action, args);
  }

  #read(action: Exclude<(typeof factActions)[number], "add" | "update" | "remove">, args: Args): Answer {
    const wanted = this.#options(args);
    switch (action) {
      case "search": {
        const query = cleaned(args["query"]);
        return query === ""
          ? wrong("query is needed for search.")
          : listed(this.#counted(this.#recall.search(query, wanted)));
      }
      case "probe": {
        const entity = cleaned(args["entity"]);
        return entity === ""
          ? wrong("entity is needed for probe.")
          : listed(this.#counted(this.#recall.probe(entity, wanted)));
      }
      case "related": {
        const entity = cleaned(args["entity"]);
        if (entity === "") return wrong("entity is needed for related.");
        const { facts, neighbours } = this.#recall.related(entity, wanted);
        return { ...listed(this.#counted(facts)), related_entities: neighbours };
      }
      case "reason": {
        const entities = namesOf(args["entities"]);
        if (entities.length === 0) return wrong("entities is needed for reason: a list of names.");
        return listed(this.#counted(this.#recall.reason(entities, wanted)));
      }
      case "contradict": {
        const found = contradictions(this.#database, wanted);
        return {
          success: true,
          count: found.length,
          contradictions: found.map(({ left, right, score, why }) => ({
            facts: [shown(left), shown(right)],
            why,
            score: rounded(score),
          })),
        };
      }
      case "list": {
        const facts = this.#facts.list({ ...wanted, minTrust: numberOf(args["min_trust"]) ?? 0 });
        return { success: true, count: facts.length, facts: facts.map(shown) };
      }
    }
  }

  async #add(args: Args, signal: AbortSignal): Promise<Answer> {
    const content = cleaned(args["content"]);
    const problem = problemOf(content, "add");
    if (problem !== undefined) return wrong(problem);
    const outcome = await this.#facts.add(
      { content, category: categoryOf(args) ?? "general", tags: shortOf(args["tags"]) },
      signal,
    );
    if (outcome.kind === "full")
      return wrong(`The store holds ${outcome.count} facts, which is all it takes. Remove some first.`);
    if (outcome.kind === "exists") return { success: true, fact_id: outcome.factId, status: "exists" };
    return { success: true, fact_id: outcome.factId, status: "added", entities: outcome.entities };
  }

  async #update(args: Args, signal: AbortSignal): Promise<Answer> {
    const factId = idOf(args["fact_id"]);
    if (factId === undefined) return wrong("fact_id is needed for update.");
    const content = args["content"] === undefined ? undefined : cleaned(args["content"]);
    const problem = content === undefined ? undefined : problemOf(content, "update");
    if (problem !== undefined) return wrong(problem);
    const category = categoryOf(args);
    const trustDelta = numberOf(args["trust_delta"]);
    const outcome = await this.#facts.update(
      factId,
      {
        ...defined({ content, category }),
        ...(typeof args["tags"] === "string" ? { tags: shortOf(args["tags"]) } : {}),
        ...defined({ trustDelta }),
      },
      signal,
    );
    if (outcome === "unknown") return wrong(`There is no fact ${factId}.`);
    if (outcome === "duplicate") return wrong("Another fact already says exactly this.");
    return { success: true, fact_id: factId, status: "updated" };
  }

  async #remove(args: Args, signal: AbortSignal): Promise<Answer> {
    const factId = idOf(args["fact_id"]);
    if (factId === undefined) return wrong("fact_id is needed for remove.");
    if (!(await this.#facts.remove(factId, signal))) return wrong(`There is no fact ${factId}.`);
    return { success: true, fact_id: factId, status: "removed" };
  }

  async #feedback(args: Args, signal: AbortSignal): Promise<Answer> {
    const factId = idOf(args["fact_id"]);
    const action = args["action"];
    if (factId === undefined || (action !== "helpful" && action !== "unhelpful")) {
      return wrong("fact_feedback takes action (helpful or unhelpful) and fact_id.");
    }
    const rated = await this.#facts.rate(factId, action === "helpful", signal);
    if (rated === undefined) return wrong(`There is no fact ${factId}.`);
    return { success: true, fact_id: factId, old_trust: rated.before, new_trust: rated.after };
  }

  /** How often a fact was of use is worth keeping, but no question fails because it could not be counted. */
  #counted(found: readonly Scored[]): readonly Scored[] {
    for (const { fact } of found) {
      try {
        this.#database.run("UPDATE facts SET retrieval_count = retrieval_count + 1 WHERE fact_id = ?", [fact.factId]);
      } catch {
        // Another process is writing. The count is a hint; waiting for it would not be worth it.
        break;
      }
    }
    return found;
  }

  #options(args: Args): RecallOptions {
    const category = categoryOf(args);
    return {
      ...defined({ category }),
      minTrust: numberOf(args["min_trust"]) ?? this.#minTrust,
      limit: Math.min(maxLimit, Math.max(1, Math.floor(numberOf(args["limit"]) ?? 10))),
    };
  }
}

/** What keeps a text from being a fact. */
export function problemOf(content: string, action: string): string | undefined {
  if (content === "") return `content is needed for ${action}.`;
  const size = codePointLength(content);
  if (size > maxContentChars) return `A fact has at most ${maxContentChars} characters; this has ${size}. Split it.`;
  const threats = scanThreats(content, "memory");
  return threats.length === 0 ? undefined : `Blocked: ${threats.join(", ")}. Facts are recalled into later requests.`;
}

function listed(found: readonly Scored[]): Answer {
  return {
    success: true,
    count: found.length,
    facts: found.map(({ fact, score }) => ({ ...shown(fact), score: rounded(score) })),
  };
}

function shown(fact: Fact): Answer {
  const { factId, content, category, tags, trust } = fact;
  return { fact_id: factId, content, category, ...(tags === "" ? {} : { tags }), trust };
}

function wrong(error: string): Answer {
  return { success: false, error };
}

function rounded(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}

function categoryOf(args: Args): string | undefined {
  const category = shortOf(args["category"]);
  return category === "" ? undefined : category;
}

function namesOf(value: unknown): readonly string[] {
  const list = Array.isArray(value) ? value : typeof value === "string" ? value.split(",") : [];
  return list
    .map(shortOf)
    .filter((name) => name !== "")
    .slice(0, 8);
}

function shortOf(value: unknown): string {
  return cleaned(value).slice(0, maxShortChars);
}

function cleaned(value: unknown): string {
  return typeof value === "string" ? scrubSurrogates(value).trim() : "";
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function idOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
