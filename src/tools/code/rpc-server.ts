import { chmod } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { describe } from "#foundation/errors";
import { isRecord, parseJson, toJsonText } from "#foundation/text/json";
import { allowedArguments } from "./functions.ts";

export interface RpcDeps {
  /** Runs one call of a tool through the whole pipeline: hooks, coercion, approval. The text is what a model would read. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<string>;
  readonly allowed: ReadonlySet<string>;
  readonly maxCalls: number;
}

const maxRequestChars = 16 * 1_048_576;

/** Answers the calls of one script, one JSON object a line each way, told apart by their id. */
export class ScriptCalls {
  readonly #deps: RpcDeps;
  #made = 0;

  constructor(deps: RpcDeps) {
    this.#deps = deps;
  }

  /** Calls that reached a tool. */
  get made(): number {
    return this.#made;
  }

  async answer(line: string): Promise<string> {
    const parsed = parseJson(line);
    const request = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
    const { id = null, tool, args } = request;
    const reply = (result: string): string => toJsonText({ id, result });
    if (typeof tool !== "string") return reply(toJsonText({ error: "a request names a tool and its args" }));
    try {
      return reply(await this.#call(tool, isRecord(args) ? args : {}));
    } catch (error) {
      return reply(toJsonText({ error: describe(error) }));
    }
  }

  async #call(tool: string, args: Readonly<Record<string, unknown>>): Promise<string> {
    const { allowed, maxCalls } = this.#deps;
    if (!allowed.has(tool)) {
      const names = [...allowed].sort().join(", ");
      return toJsonText({
        error: `${tool} cannot be called from a script. Available: ${names === "" ? "no tools" : names}`,
      });
    }
    if (this.#made >= maxCalls) return toJsonText({ error: `A script may make at most ${maxCalls} tool calls` });
    this.#made += 1;
    return this.#deps.call(tool, allowedArguments(tool, args));
  }
}

/**
 * Answers a script's calls on a socket that only this user can open; several calls may be on their way at once, in one
 * connection or in many.
 */
export class RpcServer implements AsyncDisposable {
  readonly #calls: ScriptCalls;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(calls: ScriptCalls) {
    this.#calls = calls;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  async listen(path: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(path, resolve);
    });
    await chmod(path, 0o600);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setEncoding("utf8");
    // The script may go at any moment; its exit tells the story.
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#sockets.delete(socket));
    let text = "";
    socket.on("data", (more: string) => {
      text += more;
      if (text.length > maxRequestChars) socket.destroy();
      const lines = text.split("\n");
      text = lines.pop() ?? "";
      void this.#answerAll(socket, lines);
    });
  }

  async #answerAll(socket: Socket, lines: readonly string[]): Promise<void> {
    await Promise.all(
      lines.map(async (line) => {
        const reply = await this.#calls.answer(line);
        if (!socket.destroyed) socket.write(`${reply}\n`);
      }),
    );
  }
}
