import { join } from "node:path";
import type { Message, ToolDefinition } from "#conversation";
import { ensureDir, readTextFile, writeFileAtomic } from "#foundation/files/files";
import { never } from "#foundation/lifecycle/abort";
import { isRecord, parseJson } from "#foundation/text/json";
import { type Clock, systemClock } from "#foundation/time/clock";
import type { ConfigSchema } from "../../config-schema.ts";
import type { MemoryProvider, ProviderCall, ProviderContext } from "../../provider.ts";
import { FactDatabase } from "./database.ts";
import { extractFacts } from "./extract.ts";
import { FactTools, factToolDefinitions, problemOf } from "./fact-tools.ts";
import { Facts } from "./facts.ts";
import { Recall } from "./recall.ts";

interface Settings {
  readonly autoExtract: boolean;
  readonly minTrust: number;
}

interface Opened {
  readonly database: FactDatabase;
  readonly facts: Facts;
  readonly recall: Recall;
  readonly tools: FactTools;
  readonly settings: Settings;
}

const configFile = "holographic.json";
const writingActions: ReadonlySet<string> = new Set(["add", "update", "remove"]);
const recalled = 5;
const encodedPerTurn = 20;

/** A local memory of facts in SQLite: word index, entities, trust, and holographic encodings. It needs nothing. */
export class HolographicMemory implements MemoryProvider {
  readonly name = "holographic";
  readonly #clock: Clock;
  #opened: Opened | undefined;

  constructor(options: { readonly clock?: Clock } = {}) {
    this.#clock = options.clock ?? systemClock;
  }

  isAvailable(): boolean {
    return true;
  }

  async initialize(_sessionId: string, context: ProviderContext): Promise<void> {
    if (this.#opened !== undefined) return;
    await ensureDir(context.hermesHome, 0o700);
    const settings = await readSettings(context.hermesHome);
    const database = await FactDatabase.open(join(context.hermesHome, "memory_store.db"), this.#clock, never);
    this.#opened = {
      database,
      facts: new Facts(database),
      recall: new Recall(database),
      tools: new FactTools(database, settings),
      settings,
    };
  }

  getToolSchemas(): readonly ToolDefinition[] {
    return factToolDefinitions;
  }

  async handleToolCall(name: string, args: Readonly<Record<string, unknown>>, call: ProviderCall): Promise<string> {
    return JSON.stringify(await this.#use().tools.call(name, args, call.signal));
  }

  isReadOnlyCall(name: string, args: Readonly<Record<string, unknown>>): boolean {
    return name === "fact_store" && !writingActions.has(String(args["action"]));
  }

  getConfigSchema(): ConfigSchema {
    return [
      {
        key: "auto_extract",
        description: "Keep sentences of yours that sound like lasting facts when a session ends",
        choices: ["false", "true"],
        default: "false",
      },
      {
        key: "min_trust",
        description: "Leave facts out of recall that are trusted less than this (0 to 1)",
        default: "0.3",
      },
    ];
  }

  async saveConfig(values: Readonly<Record<string, string>>, hermesHome: string): Promise<void> {
    await ensureDir(hermesHome, 0o700);
    await writeFileAtomic(join(hermesHome, configFile), `${JSON.stringify(values, undefined, 2)}\n`, { mode: 0o600 });
  }

  systemPromptBlock(): string {
    return (
      "Beside your notes you have a store of facts (fact_store). Facts that fit the user's message are recalled by themselves; probe an entity " +
      "for more, add what is worth finding again, and rate with fact_feedback what you relied on."
    );
  }

  prefetch(query: string): string {
    const { recall, settings } = this.#use();
    const found = recall.search(query, { minTrust: settings.minTrust, limit: recalled });
    return found.map(({ fact }) => `- ${fact.content} (fact ${fact.factId}, trust ${fact.trust})`).join("\n");
  }

  /** Facts that another program has written get their encodings little by little, between turns. */
  async syncTurn(_user: string, _assistant: string, call: ProviderCall): Promise<void> {
    await this.#use().facts.encodeMissing(encodedPerTurn, call.signal);
  }

  async onSessionEnd(messages: readonly Message[]): Promise<void> {
    const { facts, settings } = this.#use();
    if (!settings.autoExtract) return;
    for (const { content, category } of extractFacts(messages)) {
      if (problemOf(content, "add") === undefined) await facts.add({ content, category, tags: "auto" }, never);
    }
  }

  async onMemoryWrite(
    ...[action, target, content, metadata]: Parameters<NonNullable<MemoryProvider["onMemoryWrite"]>>
  ): Promise<void> {
    const { facts } = this.#use();
    const gone = action === "remove" ? content : metadata.replaced;
    const known = gone === undefined ? undefined : facts.byContent(gone);
    if (known !== undefined) await facts.remove(known.factId, never);
    if (action === "remove") return;
    await facts.add({ content, category: target === "user" ? "user_pref" : "general", tags: "notes" }, never);
  }

  shutdown(): void {
    this.#opened?.database[Symbol.dispose]();
    this.#opened = undefined;
  }

  #use(): Opened {
    if (this.#opened === undefined) throw new Error("the fact store is not open");
    return this.#opened;
  }
}

async function readSettings(hermesHome: string): Promise<Settings> {
  const text = (await readTextFile(join(hermesHome, configFile), { maxBytes: 65_536 })) ?? "{}";
  const parsed = parseJson(text);
  const fields = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
  const minTrust = Number(fields["min_trust"] ?? 0.3);
  return {
    autoExtract: String(fields["auto_extract"]) === "true",
    minTrust: Number.isFinite(minTrust) ? Math.min(1, Math.max(0, minTrust)) : 0.3,
  };
}
