import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import type { Sandbox } from "../sandboxes/sandbox.ts";

const marks = [Buffer.from([1, 1, 1]), Buffer.from([2, 2, 2])] as const;

/** A command of a session: its log has both outputs, line by line, each behind three bytes that say which it is. */
export class SessionCommand {
  readonly #child: ChildProcess;
  readonly #waiting: Buffer[] = [];
  #listener: ((chunk: Buffer | undefined) => boolean) | undefined;
  #open = 2;

  constructor(sandbox: Sandbox, command: string) {
    this.#child = sandbox.exec(["bash", "-c", command], "/root");
    this.#child.stdin?.on("error", () => undefined);
    for (const [index, stream] of [this.#child.stdout, this.#child.stderr].entries()) {
      if (stream !== null) this.#label(stream, marks[index] ?? marks[0]);
    }
  }

  input(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** All of the log, then undefined. */
  follow(listener: (chunk: Buffer | undefined) => boolean): void {
    this.#listener = listener;
    for (const chunk of this.#waiting.splice(0)) listener(chunk);
    if (this.#open === 0) listener(undefined);
    this.resume();
  }

  resume(): void {
    this.#child.stdout?.resume();
    this.#child.stderr?.resume();
  }

  end(): void {
    try {
      process.kill(-(this.#child.pid ?? 0), "SIGKILL");
    } catch {
      // It has ended by itself.
    }
    this.#open = 0;
    this.#listener?.(undefined);
  }

  /** A last line without a break gets one, and bytes that are no text of a shell are lost: that is how sessions are. */
  #label(stream: Readable, mark: Buffer): void {
    let rest = "";
    const say = (line: string): void =>
      this.#say(Buffer.concat([mark, Buffer.from(`${line.replaceAll("\0", "")}\n`, "latin1")]));
    stream.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString("latin1")).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) say(line);
    });
    stream.on("end", () => {
      if (rest !== "") say(rest);
      this.#open -= 1;
      if (this.#open === 0) this.#listener?.(undefined);
    });
  }

  #say(chunk: Buffer): void {
    if (this.#listener === undefined) this.#waiting.push(chunk);
    else if (!this.#listener(chunk)) {
      this.#child.stdout?.pause();
      this.#child.stderr?.pause();
    }
  }
}
