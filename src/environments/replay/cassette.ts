import { appendFile, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { systemErrorCode, UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { mapStrings, toJsonText } from "#foundation/text/json";
import { readRows } from "../datasets/read-rows.ts";

type Json = Readonly<Record<string, unknown>>;

const modes = ["record", "replay", "auto"] as const;

export interface ReplayOptions {
  readonly mode: (typeof modes)[number];
  /** The cassette, absolute. */
  readonly file: string;
  /** Results of tools and rewards are kept as well, so that a replay needs no sandbox. */
  readonly keepsTools: boolean;
  /** A request that is not the recorded one ends its rollout; else it is only told. */
  readonly isStrict: boolean;
}

/** `replay.mode`, `replay.file`, `replay.tools`, `replay.strict`, as typed. Undefined: nothing is recorded or replayed. */
export function readReplayOptions(flags: Readonly<Record<string, string>>, cwd: string): ReplayOptions | undefined {
  const own = Object.entries(flags).filter(([name]) => name.startsWith("replay."));
  const {
    mode = "off",
    file,
    tools = "false",
    strict = "true",
    ...rest
  } = Object.fromEntries(own.map(([name, text]): [string, string] => [name.slice("replay.".length), text]));
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw usage(`There is no flag --replay.${unknown}.`);
  for (const [name, text] of Object.entries({ tools, strict }))
    if (!/^(true|false)$/.test(text)) throw usage(`--replay.${name} is true or false, not ${text}.`);
  if (mode === "off") return undefined;
  const known = modes.find((one) => one === mode);
  if (known === undefined) throw usage(`--replay.mode is off, record, replay or auto, not ${mode}.`);
  if (file === undefined) throw usage(`--replay.mode ${mode} needs --replay.file <cassette.jsonl>.`);
  return {
    mode: known,
    file: path.resolve(cwd, file),
    keepsTools: tools === "true",
    isStrict: strict === "true",
  };
}

function usage(message: string): UserError {
  return new UserError(message, { code: "usage", exitCode: 2 });
}

/** Fields of written lines that differ between a recording and its replay. */
const volatile = ["metadata.timestamp", "metadata.elapsed_seconds", "elapsed_seconds"];

interface CassetteDeps {
  /** Of this run; a replay goes by the name of the recorded one. */
  readonly runId: string;
  readonly logger: Logger;
  redact(text: string): string;
}

/** What models, tools and rewards answered in a run, by the place of the answer in it. */
export class Cassette {
  readonly options: ReplayOptions;
  /** Of the recording: a replay is the same run again. */
  readonly runId: string;
  readonly #lines: ReadonlyMap<string, Json>;
  readonly #redact: (text: string) => string;
  readonly #logger: Logger;
  readonly #problems: string[] = [];
  #writing: Promise<void> = Promise.resolve();

  private constructor(options: ReplayOptions, deps: CassetteDeps, lines: ReadonlyMap<string, Json>) {
    this.options = options;
    this.runId = deps.runId;
    this.#redact = (text) => deps.redact(text);
    this.#logger = deps.logger;
    this.#lines = lines;
  }

  static async open(options: ReplayOptions, deps: CassetteDeps): Promise<Cassette> {
    const { runId } = deps;
    const { mode, file } = options;
    const lines = new Map<string, Json>();
    const recorded = mode === "record" ? undefined : await readCassette(file, lines);
    if (recorded === undefined && mode === "replay")
      throw new UserError(`There is no cassette ${file}.`, { hint: "Make one with --replay.mode record", exitCode: 2 });
    if (recorded === undefined) {
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, `${JSON.stringify({ v: 1, run_id: runId, volatile })}\n`);
    }
    return new Cassette(options, { ...deps, runId: recorded ?? runId }, lines);
  }

  find(key: string): Json | undefined {
    return this.#lines.get(key);
  }

  /** On disk when it resolves, without secrets. */
  async write(line: Json): Promise<void> {
    const plain = Object.entries(line).map(([name, value]) => [name, isMark(name) ? value : this.redacted(value)]);
    const text = toJsonText({ v: 1, ...Object.fromEntries(plain) });
    this.#writing = this.#writing.then(() => appendFile(this.options.file, `${text}\n`));
    await this.#writing;
  }

  /** As it would be on the cassette. */
  redacted<T>(value: T): T {
    return mapStrings(value, this.#redact) as T;
  }

  note(problem: string): UserError {
    this.#problems.push(problem);
    return new UserError(problem);
  }

  warn(difference: string): void {
    this.#logger.warn("a replayed request is not the recorded one", { difference });
  }

  /** Throws when a rollout went another way than the recorded one. */
  check(): void {
    const [first] = this.#problems;
    if (first === undefined) return;
    throw new UserError(`The replay is not the recorded run: ${first}`, {
      hint: "Record it anew, or let differences pass with --replay.strict false",
    });
  }
}

/** Hashes look like secrets and are none. */
function isMark(name: string): boolean {
  return name === "key" || name.endsWith("sha256");
}

/** The name of the recorded run; undefined when there is no file. */
async function readCassette(file: string, lines: Map<string, Json>): Promise<string | undefined> {
  let runId: string | undefined;
  try {
    for await (const read of readRows(file)) {
      if (read.kind === "invalid" || read.row["v"] !== 1)
        throw new UserError(`${file}, ${read.where}: this is no line of a cassette.`, { exitCode: 2 });
      const { key, run_id: id } = read.row;
      if (typeof id === "string") runId = id;
      if (typeof key === "string") lines.set(key, read.row);
    }
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  if (runId === undefined) throw new UserError(`${file} is no cassette: it names no run.`, { exitCode: 2 });
  return runId;
}
