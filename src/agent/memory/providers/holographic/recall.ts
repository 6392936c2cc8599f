import type { FactDatabase, Row } from "./database.ts";
import { aboutKey, sayingKey } from "./encode.ts";
import { type Fact, factColumns, toFact } from "./fact.ts";
import { findEntity } from "./facts.ts";
import { dimensions, likeness, type Phases } from "./phases.ts";
import { overlap, wordsOf } from "./words.ts";

export interface RecallOptions {
  readonly category?: string;
  readonly minTrust: number;
  readonly limit: number;
}

export interface Scored {
  readonly fact: Fact;
  readonly score: number;
}

/** How many rows one question may look at; five hundred vectors take a few milliseconds. */
const candidateLimit = 100;
const windowLimit = 500;
/** Unrelated vectors reach this by chance once in many thousands. */
const noise = 0.1;

interface Candidate {
  readonly fact: Fact;
  readonly phases: Phases | undefined;
}

/** Questions to the fact store. All of them read only, and each looks at a bounded number of rows. */
export class Recall {
  readonly #database: FactDatabase;

  constructor(database: FactDatabase) {
    this.#database = database;
  }

  /** Facts that say something like this: words first, then likeness of the whole. */
  search(query: string, options: RecallOptions): readonly Scored[] {
    const words = wordsOf(query);
    if (words.length === 0) return [];
    const saying = sayingKey(query);
    const found = new Map(
      this.#byWords(words, options).map((candidate, location) => [candidate.fact.factId, { candidate, location }]),
    );
    for (const candidate of this.#bySubstring(query, options)) {
      if (!found.has(candidate.fact.factId)) found.set(candidate.fact.factId, { candidate, location: found.size });
    }
    return best(
      [...found.values()].map(({ candidate, location }) => {
        const byWords = overlap(words, wordsOf(`${candidate.fact.content} ${candidate.fact.tags}`));
        const byVector = candidate.phases === undefined ? 0 : Math.max(0, likeness(candidate.phases, saying));
        const rank = 1 - location / Math.max(1, found.size);
        return { fact: candidate.fact, score: (0.4 * rank + 0.3 * byWords + 0.3 * byVector) * candidate.fact.trust };
      }),
      options.limit,
    );
  }

  /** Everything about one entity, by the role it plays in the fact and not by its spelling alone. */
  probe(entity: string, options: RecallOptions): readonly Scored[] {
    const { name, linked } = this.#about(entity, options);
    const vector = aboutKey(name);
    const pool = unique([...linked, ...this.#byWords(wordsOf(entity), options), ...this.#window(options)]);
    const links = new Set(linked.map(({ fact }) => fact.factId));
    return best(
      pool.flatMap(({ fact, phases }) => {
        const role = phases === undefined ? 0 : likeness(phases, vector);
        const isLinked = links.has(fact.factId);
        const mentions = fact.content.toLowerCase().includes(entity.toLowerCase());
        if (!isLinked && role <= noise && !mentions) return [];
        return [{ fact, score: (Math.max(0, role) + (isLinked ? 0.5 : mentions ? 0.2 : 0)) * fact.trust }];
      }),
      options.limit,
    );
  }

  /** What hangs together with an entity without naming it: facts about its neighbours, and who they are. */
  related(
    entity: string,
    options: RecallOptions,
  ): { readonly facts: readonly Scored[]; readonly neighbours: readonly string[] } {
    const { linked, id } = this.#about(entity, options);
    if (id === undefined) return { facts: [], neighbours: [] };
    const rows = this.#database.all(
      `SELECT n.name, n.entity_id, count(*) AS shared FROM fact_entities a
       JOIN fact_entities b ON b.fact_id = a.fact_id AND b.entity_id <> a.entity_id
       JOIN entities n ON n.entity_id = b.entity_id
       WHERE a.entity_id = ? GROUP BY n.entity_id ORDER BY shared DESC, n.entity_id LIMIT 20`,
      [id],
    );
    const direct = new Set(linked.map(({ fact }) => fact.factId));
    const scored = rows.flatMap((row) => {
      const vector = aboutKey(String(row["name"]));
      return this.#linkedTo(Number(row["entity_id"]), options)
        .filter(({ fact }) => !direct.has(fact.factId))
        .map(({ fact, phases }) => ({
          fact,
          score: Math.max(noise, phases === undefined ? 0 : likeness(phases, vector)) * fact.trust,
        }));
    });
    return { facts: best(scored, options.limit), neighbours: rows.map((row) => String(row["name"])) };
  }

  /** Facts that connect all of these entities: as good as the entity they are least about. */
  reason(entities: readonly string[], options: RecallOptions): readonly Scored[] {
    const known = entities.map((entity) => this.#about(entity, options));
    const vectors = known.map(({ name }) => aboutKey(name));
    const pool = unique([...known.flatMap(({ linked }) => linked), ...this.#window(options)]);
    return best(
      pool.flatMap(({ fact, phases }) => {
        if (phases === undefined) return [];
        const weakest = Math.min(...vectors.map((vector) => likeness(phases, vector)));
        return weakest > noise ? [{ fact, score: weakest * fact.trust }] : [];
      }),
      options.limit,
    );
  }

  #about(
    entity: string,
    options: RecallOptions,
  ): { readonly name: string; readonly id?: number; readonly linked: readonly Candidate[] } {
    const known = findEntity(this.#database, entity);
    if (known === undefined) return { name: entity, linked: [] };
    return { name: known.name, id: known.id, linked: this.#linkedTo(known.id, options) };
  }

  #linkedTo(entityId: number, options: RecallOptions): readonly Candidate[] {
    const ids = "SELECT fact_id AS id, -fact_id AS place FROM fact_entities WHERE entity_id = ?";
    return this.#read(ids, [entityId], options);
  }

  /** The newest facts: those a vector may find although no word or link leads to them. */
  #window(options: RecallOptions): readonly Candidate[] {
    return this.#read(
      `SELECT fact_id AS id, -fact_id AS place FROM facts ORDER BY fact_id DESC LIMIT ${windowLimit}`,
      [],
      { ...options, rows: windowLimit },
    );
  }

  #byWords(words: readonly string[], options: RecallOptions): readonly Candidate[] {
    if (words.length === 0) return [];
    const query = words
      .slice(0, 16)
      .map((word) => `"${word.replaceAll('"', '""')}"`)
      .join(" OR ");
    const ids = "SELECT rowid AS id, rank AS place FROM facts_fts WHERE facts_fts MATCH ?";
    return this.#read(ids, [query], options);
  }

  /** Scripts without spaces are one long word to the index. */
  #bySubstring(query: string, options: RecallOptions): readonly Candidate[] {
    const pieces =
      query.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]{2,}/gu) ?? [];
    return pieces
      .slice(0, 4)
      .flatMap((piece) =>
        this.#read(
          "SELECT fact_id AS id, -fact_id AS place FROM facts WHERE instr(content, ?) > 0",
          [piece.slice(0, 20)],
          options,
        ),
      );
  }

  /** Sorts bare numbers first and reads texts and vectors only of the rows that are left. */
  #read(
    ids: string,
    params: readonly (string | number)[],
    options: RecallOptions & { readonly rows?: number },
  ): readonly Candidate[] {
    const category = options.category ?? "";
    return this.#database
      .all(
        `SELECT ${factColumns}, e.phases FROM (
           SELECT i.id, i.place FROM (${ids}) i JOIN facts t ON t.fact_id = i.id
           WHERE t.trust_score >= ? AND (? = '' OR t.category = ?) ORDER BY i.place LIMIT ?
         ) c JOIN facts f ON f.fact_id = c.id LEFT JOIN fact_encodings e ON e.fact_id = c.id ORDER BY c.place`,
        [...params, options.minTrust, category, category, options.rows ?? candidateLimit],
      )
      .map(toCandidate);
  }
}

function toCandidate(row: Row): Candidate {
  const phases = row["phases"];
  return {
    fact: toFact(row),
    phases: phases instanceof Uint8Array && phases.length === dimensions ? phases : undefined,
  };
}

function unique(candidates: readonly Candidate[]): readonly Candidate[] {
  return [...new Map(candidates.map((candidate) => [candidate.fact.factId, candidate])).values()];
}

/** Highest first, each fact once. */
function best(scored: readonly Scored[], limit: number): readonly Scored[] {
  const byFact = new Map<number, Scored>();
  for (const one of scored) {
    if ((byFact.get(one.fact.factId)?.score ?? -1) < one.score) byFact.set(one.fact.factId, one);
  }
  return [...byFact.values()].sort((a, b) => b.score - a.score || a.fact.factId - b.fact.factId).slice(0, limit);
}
