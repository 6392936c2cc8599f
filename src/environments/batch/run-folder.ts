import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { appendFile, mkdir, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { type BatchEntry, embedJson, loadTrajectories, TrajectoryWriter } from "#agent";
import { cleanInput } from "#conversation";
import { UserError } from "#foundation/errors";
import { writeFileAtomic } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import { toExact } from "#foundation/text/exact-json-text";
import { isRecord, parseJson } from "#foundation/text/json";
import { type PromptFacts, readFacts } from "./prompt-facts.ts";

/** What stands in `checkpoint.json`. */
export interface Checkpoint {
  readonly run_name: string;
  readonly completed_prompts: readonly number[];
  readonly batch_stats: Readonly<Record<string, BatchCounts>>;
  readonly last_updated: string;
  readonly discarded: readonly { readonly prompt_index: number; readonly sha256: string }[];
}

export interface BatchCounts {
  readonly processed: number;
  readonly skipped: number;
  readonly discarded_no_reasoning: number;
}

/** What an earlier run left: how often each prompt is done, and what was counted meanwhile. */
export interface EarlierWork {
  /** By the hash of the prompt. */
  readonly done: ReadonlyMap<string, number>;
  readonly facts: readonly PromptFacts[];
  readonly nextBatch: number;
}

/**
 * The folder of one run.
 *
 * 1. A prompt is done when its line stands in a batch file or, for a discarded one, in `progress.jsonl`. Lines are
 *    appended whole; a torn one at the end of a killed run counts as not written, and later runs use new files.
 * 2. `checkpoint.json` tells people and other programs how far it is; resuming reads the lines themselves.
 */
export class RunFolder {
  readonly folder: string;
  readonly #writer: TrajectoryWriter;

  constructor(folder: string, log: Logger) {
    this.folder = folder;
    this.#writer = new TrajectoryWriter(folder, log);
  }

  async prepare({ isResumed, isOverwritten }: { readonly isResumed: boolean; readonly isOverwritten: boolean }) {
    if (isOverwritten) await rm(this.folder, { recursive: true, force: true });
    await mkdir(this.folder, { recursive: true });
    if (isResumed || (await readdir(this.folder)).length === 0) return;
    throw new UserError(`${this.folder} is not empty.`, {
      hint: "Continue the run with --resume, or begin anew with --overwrite.",
      exitCode: 2,
    });
  }

  /** False when the line could not be written; the log says why. */
  async save(batch: number, entry: BatchEntry): Promise<boolean> {
    return (await this.#writer.saveBatch(entry, batchFile(batch))).kind === "saved";
  }

  async note(facts: PromptFacts): Promise<void> {
    await appendFile(path.join(this.folder, "progress.jsonl"), `${JSON.stringify(facts)}\n`);
  }

  async writeCheckpoint(checkpoint: Checkpoint): Promise<void> {
    const text = `${embedJson(toExact(checkpoint))}\n`;
    await writeFileAtomic(path.join(this.folder, "checkpoint.json"), text);
  }

  /** Something is wrong with the checkpoint of an earlier run; it is not needed for going on. */
  async checkpointProblem(runName: string): Promise<string | undefined> {
    const file = path.join(this.folder, "checkpoint.json");
    if (!existsSync(file)) return undefined;
    const parsed = parseJson(await readFile(file, "utf8"));
    if (!parsed.ok || !isRecord(parsed.value)) return "checkpoint.json cannot be read and is written anew.";
    return parsed.value["run_name"] === runName ? undefined : "checkpoint.json is of another run and is written anew.";
  }

  async earlierWork(signal: AbortSignal): Promise<EarlierWork> {
    const facts = await readFacts(path.join(this.folder, "progress.jsonl"), signal);
    const done = new Map<string, number>();
    const count = (hash: string): void => void done.set(hash, (done.get(hash) ?? 0) + 1);
    for (const fact of facts) if (fact.status === "discarded") count(fact.sha256);
    for await (const { entry } of this.entries(signal)) {
      const prompt = firstWords(entry);
      if (entry["failed"] !== true && prompt !== undefined) count(promptHash(prompt));
    }
    const numbers = (await this.batchFiles()).map(({ number }) => number);
    return { done, facts, nextBatch: Math.max(-1, ...numbers) + 1 };
  }

  /** The whole lines of all batch files, by number. */
  async *entries(signal: AbortSignal): AsyncGenerator<{ readonly entry: Readonly<Record<string, unknown>> }, void> {
    for (const { file } of await this.batchFiles())
      for await (const entry of loadTrajectories(file, { onInvalid: "skip", signal })) yield { entry };
  }

  async batchFiles(): Promise<readonly { readonly file: string; readonly number: number }[]> {
    const found = (await readdir(this.folder)).flatMap((name) => {
      const number = /^batch_(\d+)(?:_output)?\.jsonl$/.exec(name)?.[1];
      return number === undefined ? [] : [{ file: path.join(this.folder, name), number: Number(number) }];
    });
    return found.sort((left, right) => left.number - right.number);
  }
}

function batchFile(number: number): string {
  return `batch_${String(number).padStart(3, "0")}_output.jsonl`;
}

function firstWords({ conversations }: Readonly<Record<string, unknown>>): string | undefined {
  if (!Array.isArray(conversations)) return undefined;
  const human: unknown = conversations.find((turn) => isRecord(turn) && turn["from"] === "human");
  return isRecord(human) && typeof human["value"] === "string" ? human["value"] : undefined;
}

/** The same for a prompt of the dataset and for the first words of its trajectory. */
export function promptHash(prompt: string): string {
  return createHash("sha256").update(cleanInput(prompt).trim()).digest("hex");
}
