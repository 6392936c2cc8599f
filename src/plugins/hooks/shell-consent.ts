import { readTextFile, withFileLock, writeFileAtomic } from "#foundation/files/files";
import { isRecord, parseJson } from "#foundation/text/json";
import { type CommandLocation, markOf, printOf } from "./command-files.ts";

const maxFileBytes = 1024 * 1024;

export type ConsentState =
  | "allowed"
  /** It was allowed, but its script is another now. */
  | "changed"
  | "missing";

/** One thing that was allowed, as the file holds it. */
export interface ConsentEntry {
  readonly event: string;
  readonly argv: readonly string[];
}

/** Which shell hooks the person has allowed: once per event and command, and again when a script changed. */
export class ShellConsent {
  readonly #path: string;
  readonly #location: CommandLocation;
  readonly #signal: AbortSignal;

  constructor(path: string, location: CommandLocation, signal: AbortSignal) {
    this.#path = path;
    this.#location = location;
    this.#signal = signal;
  }

  /** The state, and the print of the script it was found with: what is allowed is what was looked at. */
  async state(
    event: string,
    argv: readonly string[],
  ): Promise<{ readonly state: ConsentState; readonly print: string }> {
    const print = await printOf(argv, this.#location);
    const allowed = (await this.#read())[keyOf(event, argv)];
    if (typeof allowed !== "string") return { state: "missing", print };
    return { state: allowed === print ? "allowed" : "changed", print };
  }

  async isAllowed(event: string, argv: readonly string[]): Promise<boolean> {
    return (await this.state(event, argv)).state === "allowed";
  }

  /** Changes when a file of the command may have changed. */
  async mark(argv: readonly string[]): Promise<string> {
    return await markOf(argv, this.#location);
  }

  async allow({ event, argv }: ConsentEntry, print: string): Promise<void> {
    await this.#change((all) => ({ ...all, [keyOf(event, argv)]: print }));
  }

  async entries(): Promise<readonly ConsentEntry[]> {
    return Object.entries(await this.#read()).flatMap(([key, print]) =>
      typeof print === "string" ? entryOf(key) : [],
    );
  }

  /** Takes back what was allowed for this command, whatever the event; says for which events that was. */
  async revoke(argv: readonly string[]): Promise<readonly string[]> {
    const ending = keyOf("", argv);
    let events: readonly string[] = [];
    await this.#change((all) => {
      const gone = Object.keys(all).filter((key) => key.endsWith(ending));
      events = gone.map((key) => key.slice(0, -ending.length));
      return Object.fromEntries(Object.entries(all).filter(([key]) => !gone.includes(key)));
    });
    return events;
  }

  /** Whole, also with what is not ours: a change keeps what it does not know. */
  async #read(): Promise<Readonly<Record<string, unknown>>> {
    const parsed = parseJson((await readTextFile(this.#path, { maxBytes: maxFileBytes })) ?? "{}");
    return parsed.ok && isRecord(parsed.value) ? parsed.value : {};
  }

  async #change(change: (all: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>): Promise<void> {
    await withFileLock(
      `${this.#path}.lock`,
      async () =>
        writeFileAtomic(this.#path, `${JSON.stringify(change(await this.#read()), null, 2)}\n`, { mode: 0o600 }),
      { signal: this.#signal },
    );
  }
}

function keyOf(event: string, argv: readonly string[]): string {
  return `${event} ${JSON.stringify(argv)}`;
}

function entryOf(key: string): readonly ConsentEntry[] {
  const space = key.indexOf(" ");
  const argv = parseJson(key.slice(space + 1));
  if (space < 1 || !argv.ok || !Array.isArray(argv.value)) return [];
  return argv.value.every((word) => typeof word === "string")
    ? [{ event: key.slice(0, space), argv: argv.value as readonly string[] }]
    : [];
}
