import { randomBytes } from "node:crypto";
import path from "node:path";
import type { Logger } from "#foundation/files/logger";
import { deadline, never, raceAbort } from "#foundation/lifecycle/abort";
import { quote } from "../shell/shell-script.ts";
import { TerminalGone } from "../terminal-gone.ts";
import { ControlChannel } from "./control-channel.ts";
import type { RemoteHost, RemoteProcess } from "./remote-host.ts";
import { describedRunScript, keepScript, killScript, runScript } from "./remote-script.ts";

/** Facts of the machine, found by the first shell. */
export interface Location {
  readonly home: string;
  readonly tempDir: string;
  readonly folder: string;
  readonly shell: string;
  readonly cwd: string;
  readonly hasSetsid: boolean;
}

/** One command on its way: what marks it for good, and the name of its files, which the next one may have. */
export interface Run extends Disposable {
  readonly mark: string;
  readonly slot: string;
}

const graceMs = 1_000;
/** One argument of a program may have 128 KiB, and quoting for a shell on the way makes it longer. */
const longestCommand = 24_000;

/** Starts and ends the shells of one terminal elsewhere; what a shell does is the script's business, see `remote-script.ts`. */
export class RemoteShell {
  readonly location: Location;
  readonly #host: RemoteHost;
  /** Names what runs there as ours. */
  readonly #id: string;
  readonly #logger: Logger;
  readonly #slots = new Set<number>();
  #runs = 0;

  constructor(host: RemoteHost, at: { readonly location: Location; readonly id: string; readonly logger: Logger }) {
    this.#host = host;
    this.location = at.location;
    this.#id = at.id;
    this.#logger = at.logger;
  }

  get isBash(): boolean {
    return path.posix.basename(this.location.shell) === "bash";
  }

  /** Its slot is free again when it is disposed. */
  newRun(): Run {
    this.#runs += 1;
    let slot = 1;
    while (this.#slots.has(slot)) slot += 1;
    this.#slots.add(slot);
    return {
      mark: this.#mark(String(this.#runs)),
      slot: String(slot),
      [Symbol.dispose]: () => void this.#slots.delete(slot),
    };
  }

  /** Starts the text around a command; the command itself runs when the channel says so. */
  async start(
    at: {
      readonly run: Run;
      readonly script: string;
      /** The script tells itself what it leaves. */
      readonly describes?: boolean;
      readonly drains?: boolean;
      readonly cwd: string;
      readonly command: string;
    },
    stdin: "pipe" | "ignore",
  ): Promise<{ readonly client: RemoteProcess; readonly channel: ControlChannel }> {
    const word = newWord();
    const channel = new ControlChannel(word);
    const { shell, folder } = this.location;
    const around = at.describes === true ? ["sh", "-c", describedRunScript] : [shell, "-c", runScript];
    const own = [word, at.run.mark, folder, at.run.slot, shell, at.script, at.cwd, at.command];
    // Not tied to the signal: what runs inside is ended first, and then tells its end itself.
    const client = await this.#host.start([...around, "hermes", ...own, at.drains === true ? "drains" : ""], {
      stdin,
      signal: never,
    });
    client.stderr.on("data", (chunk: Buffer) => channel.push(chunk));
    return { client, channel };
  }

  /** Writes a file of the terminal's own folder. */
  async keep(name: string, text: string): Promise<void> {
    const file = `${this.location.folder}/${name}`;
    const client = await this.#host.start(["sh", "-c", keepScript, "hermes", file], { stdin: "pipe", signal: never });
    let words = "";
    client.stdout.resume();
    client.stderr.on("data", (chunk: Buffer) => {
      words = `${words}${chunk.toString()}`.slice(-2_000);
    });
    client.stdin?.end(text);
    const { exitCode } = await client.exited;
    if (exitCode !== 0) throw new TerminalGone(this.#goneText(words.trim()), { mayHaveRun: false });
  }

  /** The command as an argument; one that is too long goes through a file. */
  async argument(command: string, run: Run, signal: AbortSignal): Promise<string> {
    if (Buffer.byteLength(command) <= longestCommand) return command;
    const name = `command-${run.slot}.sh`;
    await raceAbort(this.keep(name, command), signal);
    return `. ${quote(`${this.location.folder}/${name}`)}`;
  }

  /** Ends a run, or everything of this terminal. The machine may be gone: then nothing runs there. */
  async end(run: Run | undefined, grace = graceMs): Promise<void> {
    using limit = deadline(grace + 10_000);
    const tenths = String(Math.ceil(grace / 100));
    const own = [this.location.folder, run?.slot ?? "", run?.mark ?? this.#mark(""), tenths];
    try {
      const client = await this.#host.start(["sh", "-c", killScript, "hermes", ...own], {
        stdin: "ignore",
        signal: limit.signal,
      });
      client.stdout.resume();
      client.stderr.resume();
      await client.exited;
    } catch (error) {
      this.#logger.info("a remote command could not be ended", { kind: this.#host.kind, reason: String(error) });
    }
  }

  gone(channel: ControlChannel): TerminalGone {
    return new TerminalGone(this.#goneText(channel.words), { mayHaveRun: channel.isStarted });
  }

  #goneText(words: string): string {
    return `the ${this.#host.kind} terminal was lost${words === "" ? "" : `: ${words}`}`;
  }

  /** The mark of one run, or what the marks of all of them begin with. */
  #mark(run: string): string {
    return `${this.#id}-${run}`;
  }
}

/** Begins each piece of what is told beside the output of one run. */
export function newWord(): string {
  return `hermes:${randomBytes(8).toString("hex")}:`;
}
