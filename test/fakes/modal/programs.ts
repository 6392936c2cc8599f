import { once } from "node:events";
import { PassThrough, type Readable, Writable } from "node:stream";
import type { Sandbox } from "../sandboxes/sandbox.ts";
import { type Call, GrpcError, status } from "./grpc.ts";
import { encode, type Message } from "./protobuf.ts";

interface Program {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exit: Promise<{ readonly code: number | undefined; readonly signal: number | undefined }>;
  written: number;
}

/** Programs in sandboxes: started, read, written to and waited for, each by a call of its own. */
export class Programs {
  readonly #programs = new Map<string, Program>();
  readonly #sandboxOf: (task: string) => Sandbox;

  constructor(sandboxOf: (task: string) => Sandbox) {
    this.#sandboxOf = sandboxOf;
  }

  async start(request: Message): Promise<Buffer> {
    // A caller that hears nothing asks again with the same id.
    if (!this.#programs.has(request.text(2))) {
      const isPty = request.message(9).number(1) === 1;
      this.#programs.set(request.text(2), await (isPty ? this.#underPty(request) : this.#withPipes(request)));
    }
    return encode({});
  }

  async #withPipes(request: Message): Promise<Program> {
    const child = this.#sandboxOf(request.text(1)).exec(request.texts(3), request.text(7) || "/");
    child.stdin?.on("error", () => undefined);
    const exit = once(child, "exit").then(([code]) => ({
      code: (code as number | null) ?? undefined,
      signal: undefined,
    }));
    // Held from the start: what a process has said is thrown away when it ends and nobody reads.
    const stdout = child.stdout?.pipe(new PassThrough());
    const stderr = child.stderr?.pipe(new PassThrough());
    if (stdout === undefined || stderr === undefined || child.stdin === null) throw new Error("no pipe");
    return { stdin: child.stdin, stdout, stderr, exit, written: 0 };
  }

  /** All it says is on one stream; the other has ended. */
  async #underPty(request: Message): Promise<Program> {
    const child = await this.#sandboxOf(request.text(1)).execUnderPty(request.texts(3), request.text(7) || "/");
    const stdout = new PassThrough();
    const stderr = new PassThrough();
    stderr.end();
    child.onData((text) => stdout.write(text));
    const exit = new Promise<{ code: number; signal: undefined }>((resolve) => {
      child.onExit(({ exitCode }) => {
        stdout.end();
        resolve({ code: exitCode, signal: undefined });
      });
    });
    const stdin = new Writable({
      write(chunk: Buffer, _encoding, done) {
        child.write(chunk.toString());
        done();
      },
    });
    return { stdin, stdout, stderr, exit, written: 0 };
  }

  async read(call: Call): Promise<undefined> {
    const { stdout, stderr } = this.#find(call.request.text(2));
    await forward(call.request.number(4) === 0 ? stdout : stderr, call);
  }

  async write(request: Message): Promise<Buffer> {
    const program = this.#find(request.text(2));
    const { stdin } = program;
    const data = request.bytes(4);
    // The same bytes may come twice; the offset tells.
    const fresh = data.subarray(Math.max(0, program.written - request.number(3)));
    program.written += fresh.length;
    if (fresh.length > 0 && !stdin.destroyed) {
      await new Promise<void>((resolve) => stdin.write(fresh, () => resolve()));
    }
    if (request.number(5) === 1) stdin.end();
    return encode({});
  }

  async wait(request: Message): Promise<Buffer> {
    const { code, signal } = await this.#find(request.text(2)).exit;
    return code === undefined
      ? encode({ 2: signal ?? 9 })
      : Buffer.from([8, ...Buffer.from(encode({ 1: code })).subarray(1)]);
  }

  #find(id: string): Program {
    const program = this.#programs.get(id);
    if (program === undefined) throw new GrpcError(status.notFound, `no exec ${id}`);
    return program;
  }
}

/** All of a stream to the caller, no faster than it reads; what nobody wants any more is thrown away. */
function forward(stream: Readable, call: Call): Promise<void> {
  return new Promise((resolve) => {
    stream.on("data", (chunk: Buffer) => {
      if (!call.send(encode({ 1: chunk }))) stream.pause();
    });
    call.onDrain(() => stream.resume());
    call.onClose(() => {
      stream.resume();
      resolve();
    });
    stream.once("end", () => resolve());
    if (stream.readableEnded) resolve();
    stream.resume();
  });
}
