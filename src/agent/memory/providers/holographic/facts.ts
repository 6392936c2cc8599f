import type { FactDatabase } from "./database.ts";
import { encodeFact, encodingVersion } from "./encode.ts";
import { aliasIn, entitiesIn } from "./entities.ts";
import { clampTrust, type Fact, factColumns, helpfulStep, startingTrust, toFact, unhelpfulStep } from "./fact.ts";

export interface NewFact {
  readonly content: string;
  readonly category?: string;
  readonly tags?: string;
}

export interface FactChange {
  readonly content?: string;
  readonly category?: string;
  readonly tags?: string;
  readonly trustDelta?: number;
}

export type Added =
  | { readonly kind: "added"; readonly factId: number; readonly entities: readonly string[] }
  | { readonly kind: "exists"; readonly factId: number }
  | { readonly kind: "full"; readonly count: number };

export type Updated = "updated" | "unknown" | "duplicate";

const maxFacts = 10_000;

/** Facts as rows: adding, changing, forgetting, and what follows from that for entities and encodings. */
export class Facts {
  readonly #database: FactDatabase;

  constructor(database: FactDatabase) {
    this.#database = database;
  }

  add(fact: NewFact, signal: AbortSignal): Promise<Added> {
    const db = this.#database;
    return db.write<Added>(() => {
      const known = this.byContent(fact.content);
      if (known !== undefined) return { kind: "exists", factId: known.factId };
      const count = Number(db.get("SELECT count(*) AS n FROM facts")?.["n"] ?? 0);
      if (count >= maxFacts) return { kind: "full", count };
      db.run("INSERT INTO facts (content, category, tags, trust_score) VALUES (?, ?, ?, ?)", [
        fact.content,
        fact.category ?? "general",
        fact.tags ?? "",
        startingTrust,
      ]);
      const factId = this.byContent(fact.content)?.factId ?? 0;
      return { kind: "added", factId, entities: this.#describe(factId, fact.content) };
    }, signal);
  }

  update(factId: number, change: FactChange, signal: AbortSignal): Promise<Updated> {
    const db = this.#database;
    return db.write<Updated>(() => {
      const fact = this.byId(factId);
      if (fact === undefined) return "unknown";
      const content = change.content ?? fact.content;
      if (content !== fact.content && this.byContent(content) !== undefined) return "duplicate";
      db.run(
        "UPDATE facts SET content = ?, category = ?, tags = ?, trust_score = ?, updated_at = CURRENT_TIMESTAMP WHERE fact_id = ?",
        [
          content,
          change.category ?? fact.category,
          change.tags ?? fact.tags,
          clampTrust(fact.trust + (change.trustDelta ?? 0)),
          factId,
        ],
      );
      if (content !== fact.content) {
        // An encoding made by another program describes the old words.
        db.run("UPDATE facts SET hrr_vector = NULL WHERE fact_id = ?", [factId]);
        this.#describe(factId, content);
      }
      return "updated";
    }, signal);
  }

  remove(factId: number, signal: AbortSignal): Promise<boolean> {
    const db = this.#database;
    return db.write(() => {
      db.run("DELETE FROM fact_entities WHERE fact_id = ?", [factId]);
      db.run("DELETE FROM fact_encodings WHERE fact_id = ?", [factId]);
      return db.run("DELETE FROM facts WHERE fact_id = ?", [factId]) > 0;
    }, signal);
  }

  /** The new trust, and the old; undefined when there is no such fact. */
  rate(
    factId: number,
    isHelpful: boolean,
    signal: AbortSignal,
  ): Promise<{ readonly before: number; readonly after: number } | undefined> {
    const db = this.#database;
    return db.write(() => {
      const fact = this.byId(factId);
      if (fact === undefined) return undefined;
      const after = clampTrust(fact.trust + (isHelpful ? helpfulStep : unhelpfulStep));
      db.run(
        "UPDATE facts SET trust_score = ?, helpful_count = helpful_count + ?, updated_at = CURRENT_TIMESTAMP WHERE fact_id = ?",
        [after, isHelpful ? 1 : 0, factId],
      );
      return { before: fact.trust, after };
    }, signal);
  }

  list(wanted: { readonly category?: string; readonly minTrust: number; readonly limit: number }): readonly Fact[] {
    const category = wanted.category ?? "";
    return this.#database
      .all(
        `SELECT ${factColumns} FROM facts f WHERE f.trust_score >= ? AND (? = '' OR f.category = ?)
         ORDER BY f.trust_score DESC, f.fact_id DESC LIMIT ?`,
        [wanted.minTrust, category, category, wanted.limit],
      )
      .map(toFact);
  }

  byContent(content: string): Fact | undefined {
    const row = this.#database.get(`SELECT ${factColumns} FROM facts f WHERE f.content = ?`, [content]);
    return row === undefined ? undefined : toFact(row);
  }

  byId(factId: number): Fact | undefined {
    const row = this.#database.get(`SELECT ${factColumns} FROM facts f WHERE f.fact_id = ?`, [factId]);
    return row === undefined ? undefined : toFact(row);
  }

  /** Encodes facts that other programs or versions have written, a few at a time. Gives how many it did. */
  encodeMissing(batch: number, signal: AbortSignal): Promise<number> {
    const db = this.#database;
    return db.write(() => {
      const rows = db.all(
        `SELECT f.fact_id, f.content FROM facts f LEFT JOIN fact_encodings e ON e.fact_id = f.fact_id AND e.version = ?
         WHERE e.fact_id IS NULL LIMIT ?`,
        [encodingVersion, batch],
      );
      for (const row of rows) this.#describe(Number(row["fact_id"]), String(row["content"]));
      return rows.length;
    }, signal);
  }

  /** Links a fact to what it is about and encodes it. */
  #describe(factId: number, content: string): readonly string[] {
    const db = this.#database;
    const other = aliasIn(content);
    const names = entitiesIn(content);
    db.run("DELETE FROM fact_entities WHERE fact_id = ?", [factId]);
    const resolved = new Map<number, string>();
    for (const name of names) {
      if (other !== undefined && name.toLowerCase() === other.alias.toLowerCase()) continue;
      const entity = this.#entity(name);
      if (other !== undefined && name.toLowerCase() === other.name.toLowerCase())
        this.#addAlias(entity.id, other.alias);
      resolved.set(entity.id, entity.name);
    }
    for (const id of resolved.keys())
      db.run("INSERT OR IGNORE INTO fact_entities (fact_id, entity_id) VALUES (?, ?)", [factId, id]);
    const entities = [...resolved.values()];
    db.run("INSERT OR REPLACE INTO fact_encodings (fact_id, version, phases) VALUES (?, ?, ?)", [
      factId,
      encodingVersion,
      encodeFact(content, entities),
    ]);
    return entities;
  }

  #entity(name: string): { readonly id: number; readonly name: string } {
    const db = this.#database;
    const known = findEntity(db, name);
    if (known !== undefined) return known;
    db.run("INSERT INTO entities (name) VALUES (?)", [name]);
    return { id: Number(db.get("SELECT last_insert_rowid() AS id")?.["id"]), name };
  }

  #addAlias(id: number, alias: string): void {
    const db = this.#database;
    const known = String(db.get("SELECT aliases FROM entities WHERE entity_id = ?", [id])?.["aliases"] ?? "");
    const names = known.split(",").filter((one) => one !== "");
    if (names.some((one) => one.toLowerCase() === alias.toLowerCase())) return;
    db.run("UPDATE entities SET aliases = ? WHERE entity_id = ?", [[...names, alias].join(","), id]);
  }
}

/** An entity by its name or by another name it goes by; case does not count. */
export function findEntity(db: FactDatabase, name: string): { readonly id: number; readonly name: string } | undefined {
  const row =
    db.get("SELECT entity_id, name FROM entities WHERE name = ? COLLATE NOCASE LIMIT 1", [name]) ??
    db.get(
      "SELECT entity_id, name FROM entities WHERE aliases <> '' AND instr(',' || lower(aliases) || ',', ',' || ? || ',') > 0 LIMIT 1",
      [name.toLowerCase()],
    );
  return row === undefined ? undefined : { id: Number(row["entity_id"]), name: String(row["name"]) };
}
