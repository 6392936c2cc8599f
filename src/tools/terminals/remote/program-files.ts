import { linkSignals } from "#foundation/lifecycle/abort";
import { ToolFailure } from "../../contract/result.ts";
import type { FileFacts, TerminalFiles } from "../../contract/terminal.ts";
import { fileFailure } from "../local-files.ts";
import { TerminalGone } from "../terminal-gone.ts";
import * as scripts from "./file-scripts.ts";
import type { RemoteHost } from "./remote-host.ts";

/** Answers of the programs are short, apart from contents. */
const mostAnswerBytes = 4 * 1_048_576;

/**
 * Files of a machine elsewhere. Names are arguments and contents go through the pipes of a program as they are, so no shell
 * ever reads either; see `file-scripts.ts`.
 */
export function programFiles(host: Pick<RemoteHost, "kind" | "start">): TerminalFiles {
  const call = (request: FileRequest): Promise<Buffer> => callProgram(host, request);
  return {
    read: (path, { maxBytes, signal }) =>
      call({ act: "read", path, script: scripts.read, args: [String(maxBytes)], maxBytes, signal }),
    async write(path, data, signal) {
      await call({ act: "write", path, script: scripts.write, args: [String(data.byteLength)], input: data, signal });
    },
    async stat(path, { followLinks, signal }) {
      const answer = await call({ act: "look at", path, script: scripts.stat, args: [followLinks ? "L" : ""], signal });
      return readFacts(answer.toString());
    },
    async list(path, signal) {
      const answer = await call({ act: "list", path, script: scripts.list, args: [], signal });
      return answer.toString().split("\0").slice(0, -1);
    },
    async remove(path, signal) {
      await call({ act: "remove", path, script: scripts.remove, args: [], signal });
    },
    async rename(from, to, signal) {
      await call({ act: "move", path: from, script: scripts.rename, args: [to], signal });
    },
    async realPath(path, signal) {
      const answer = await call({ act: "look at", path, script: scripts.realPath, args: [], signal });
      return answer.toString().slice(0, -1);
    },
  };
}

interface FileRequest {
  /** What could not be done, should it fail. */
  readonly act: string;
  readonly path: string;
  readonly script: string;
  readonly args: readonly string[];
  readonly input?: Uint8Array;
  readonly maxBytes?: number;
  readonly signal: AbortSignal;
}

async function callProgram(host: Pick<RemoteHost, "kind" | "start">, request: FileRequest): Promise<Buffer> {
  const { path, act, maxBytes = mostAnswerBytes } = request;
  const stop = new AbortController();
  const signal = linkSignals(request.signal, stop.signal);
  const client = await host.start(["sh", "-c", request.script, "hermes", path, ...request.args], {
    stdin: request.input === undefined ? "ignore" : "pipe",
    signal,
  });
  const answer = new Answer(maxBytes, () => stop.abort(new Error("more came than was asked for")));
  let words = "";
  client.stdout.on("data", (chunk: Buffer) => answer.push(chunk));
  client.stderr.on("data", (chunk: Buffer) => {
    words = `${words}${chunk.toString()}`.slice(0, 4_000);
    const size = /^hermes-size (\d+)$/m.exec(words)?.[1];
    if (size !== undefined) answer.expect(Number(size));
  });
  client.stdin?.end(request.input);
  const { exitCode } = await client.exited;
  request.signal.throwIfAborted();
  const [, code, detail] = /^hermes-error (\w+) ?(.*)$/m.exec(words) ?? [];
  if (code === "ETOOLARGE" || stop.signal.aborted)
    throw new ToolFailure(`${path} has ${detail ?? "more"} bytes; at most ${maxBytes} can be read here`);
  if (code !== undefined) throw fileFailure(path, { act, code });
  if (exitCode !== 0) {
    const why = words.trim() === "" ? `its file program ended with ${exitCode}` : words.trim();
    throw new TerminalGone(`the ${host.kind} terminal was lost: ${why}`, { mayHaveRun: act !== "read" });
  }
  return answer.bytes();
}

/** Bytes as they come, in one piece when their number is known before, so that a large file is in memory once. */
class Answer {
  readonly #maxBytes: number;
  readonly #onTooMany: () => void;
  #whole: Buffer | undefined;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number, onTooMany: () => void) {
    this.#maxBytes = maxBytes;
    this.#onTooMany = onTooMany;
  }

  expect(size: number): void {
    if (this.#whole !== undefined || size > this.#maxBytes || size < this.#length) return;
    this.#whole = Buffer.allocUnsafe(size);
    let at = 0;
    for (const chunk of this.#chunks) at += chunk.copy(this.#whole, at);
    this.#chunks = [];
  }

  push(chunk: Buffer): void {
    if (this.#length + chunk.length > this.#maxBytes) {
      this.#onTooMany();
      return;
    }
    if (this.#whole !== undefined && this.#length + chunk.length > this.#whole.length) {
      // It grew while it was read.
      this.#chunks = [this.#whole.subarray(0, this.#length)];
      this.#whole = undefined;
    }
    if (this.#whole === undefined) this.#chunks.push(chunk);
    else chunk.copy(this.#whole, this.#length);
    this.#length += chunk.length;
  }

  bytes(): Buffer {
    return this.#whole?.subarray(0, this.#length) ?? Buffer.concat(this.#chunks);
  }
}

function readFacts(text: string): FileFacts | undefined {
  if (text.trim() === "") return undefined;
  const [kind = "", size, modified, mode] = text.trim().split("|");
  const seconds = Number.parseFloat((modified ?? "").replace(",", "."));
  return {
    kind: kindOf(kind.toLowerCase()),
    size: Number(size),
    modifiedMs: Math.round(seconds * 1000),
    mode: Number.parseInt(mode ?? "0", 8) & 0o7777,
  };
}

/** As GNU, busybox and BSD name them. */
function kindOf(name: string): FileFacts["kind"] {
  if (name.startsWith("regular")) return "file";
  if (name.startsWith("directory")) return "directory";
  return name.startsWith("symbolic link") ? "link" : "other";
}
