import { randomBytes } from "node:crypto";
import { never, sleep } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { PacedBytes } from "../remote/service/paced-bytes.ts";
import type { StreamedProgram } from "../remote/service/streamed-process.ts";
import { quote } from "../shell/shell-script.ts";
import { inputScript, managedScript, mostInline, readScript } from "./managed-script.ts";
import type { ManagedEnd, ManagedExec, ManagedModal } from "./managed-service.ts";
import { UntilMark } from "./until-mark.ts";

export interface ManagedSandbox {
  readonly service: ManagedModal;
  readonly id: string;
  /** Longer than this no command of it runs. */
  readonly lifetimeMs: number;
}

const mostAtOnce = 3 * 1_048_576;
const shortCommandMs = 60_000;
const firstWaitMs = 20;
const longestWaitMs = 250;
/** What ends sooner is not read before its end. */
const readsAfterMs = 150;

/** Starts a program in a sandbox; see `managed-script.ts` for what travels. */
export async function startManaged(
  sandbox: ManagedSandbox,
  argv: readonly string[],
  stdin: "pipe" | "ignore",
): Promise<StreamedProgram> {
  const folder = `/tmp/hermes-io-${randomBytes(8).toString("hex")}`;
  const { service, id, lifetimeMs } = sandbox;
  const mark = randomBytes(16).toString("hex");
  const command = line(managedScript, [folder, stdin, mark, ...argv]);
  const exec = await service.start(id, { command, timeoutMs: lifetimeMs }, never);
  const followed = new FollowedProgram(sandbox, { folder, mark }, exec);
  let pieces = 0;
  const take = async (name: string, text?: string): Promise<void> => {
    await short(sandbox, line(inputScript, [folder, name]), text);
  };
  return {
    stdout: followed.out.stream,
    stderr: followed.err.stream,
    exitCode: followed.exitCode,
    onKill: () => followed.stop(),
    stdin:
      stdin === "ignore"
        ? undefined
        : {
            write: async (bytes) => {
              await take(String(pieces), Buffer.from(bytes).toString("base64"));
              pieces += 1;
            },
            close: () => take("end"),
          },
  };
}

/** Asks for what a program printed until it has ended and everything is here. */
class FollowedProgram {
  readonly out = new PacedBytes();
  readonly err = new PacedBytes();
  readonly #sandbox: ManagedSandbox;
  readonly #folder: string;
  readonly #exec: ManagedExec;
  readonly #exit = new Deferred<number>();
  readonly #untilMark: UntilMark;
  /** How much of `o` is here. */
  #taken = 0;
  #isStopped = false;
  #isTidy = false;

  constructor(sandbox: ManagedSandbox, at: { readonly folder: string; readonly mark: string }, exec: ManagedExec) {
    this.#sandbox = sandbox;
    this.#folder = at.folder;
    this.#untilMark = new UntilMark(at.mark);
    this.#exec = exec;
    this.#exit.promise.catch(() => undefined);
    void this.#followToEnd();
  }

  get exitCode(): Promise<number> {
    return this.#exit.promise;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#exec.cancel();
  }

  async #followToEnd(): Promise<void> {
    try {
      this.#exit.resolve(await this.#follow());
    } catch (error) {
      this.#exit.reject(error);
    } finally {
      await this.#close();
    }
  }

  async #follow(): Promise<number> {
    const startedMs = performance.now();
    let end: ManagedEnd | undefined;
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(longestWaitMs, waitMs * 2)) {
      end = await this.#exec.poll();
      if (end !== undefined || this.#isStopped) break;
      const hasMore = performance.now() - startedMs > readsAfterMs && (await this.#read());
      if (!hasMore) await sleep(waitMs, never);
    }
    const [facts = "", out = "", err = ""] = (end?.output ?? "").split("\n");
    const [code, outBytes, errBytes] = facts.split(" ").map(Number);
    if (code === undefined || outBytes === undefined || errBytes === undefined || !Number.isInteger(code))
      throw new Error(`a command at managed Modal ended without a word: ${(end?.output ?? "").slice(0, 200)}`);
    this.#isTidy = outBytes + errBytes <= mostInline;
    if (this.#isTidy) {
      await this.#takeOut(bytesOf(out).subarray(this.#taken));
      await this.err.push(bytesOf(err).subarray(this.err.position));
    }
    while (!this.#isStopped && (this.#taken < outBytes || this.err.position < errBytes)) {
      const before = this.#taken + this.err.position;
      await this.#read();
      if (this.#taken + this.err.position === before) throw new Error("output of a command at managed Modal is gone");
    }
    await this.out.push(this.#untilMark.rest());
    return code;
  }

  /** Takes what is new; whether there is more. What is told beside the output waits until the output before it is here. */
  async #read(): Promise<boolean> {
    const at = [this.err.position, this.#taken, mostAtOnce].map(String);
    const { output } = await short(this.#sandbox, line(readScript, [this.#folder, ...at]));
    const [err = "", out = ""] = output.split("\n");
    const bytes = bytesOf(out);
    await this.#takeOut(bytes);
    if (bytes.length === mostAtOnce) return true;
    await this.err.push(bytesOf(err));
    return false;
  }

  async #takeOut(bytes: Uint8Array): Promise<void> {
    this.#taken += bytes.length;
    await this.out.push(this.#untilMark.take(bytes));
  }

  async #close(): Promise<void> {
    this.out.close();
    this.err.close();
    if (!this.#isTidy) await short(this.#sandbox, line('rm -rf -- "$1"', [this.#folder])).catch(() => undefined);
  }
}

function short({ service, id }: ManagedSandbox, command: string, stdin?: string): Promise<ManagedEnd> {
  return service.run(id, { command, timeoutMs: shortCommandMs, stdin }, never);
}

function line(script: string, args: readonly string[]): string {
  return ["sh", "-c", script, "hermes", ...args].map(quote).join(" ");
}

function bytesOf(base64: string): Buffer {
  return Buffer.from(base64, "base64");
}
