import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { UserError } from "#foundation/errors";
import { never, raceAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { OutputBuffer, spawnProcess } from "#foundation/process/run";
import type { Target } from "../../target.ts";

/** A way to an agent, for one request. Disposing it leaves nothing behind. */
export interface AcpLink extends AsyncDisposable {
  readonly input: Readable;
  readonly output: Writable;
  /** The folder the agent is told to work in; empty, so that it has nothing to work on. */
  readonly folder: string;
  /** Begins to end the other side; disposal waits for it. */
  stop(): void;
  /** How the other side ended, in words, once it has. */
  lastWords(): Promise<string>;
}

/** Starts the program of the target, or connects to where one already listens. */
export async function openLink(target: Target, signal: AbortSignal): Promise<AcpLink> {
  if (target.baseUrl.startsWith("acp+tcp:")) return openSocket(new URL(target.baseUrl), signal);
  const { program } = target;
  if (program === undefined)
    throw new UserError(`There is no program for ${target.providerLabel}.`, {
      hint: "Name it in HERMES_COPILOT_ACP_COMMAND.",
    });
  return openProgram(program, signal);
}

const keptErrorBytes = 4_096;

async function openProgram(program: NonNullable<Target["program"]>, signal: AbortSignal): Promise<AcpLink> {
  signal.throwIfAborted();
  const folder = await mkdtemp(join(tmpdir(), "hermes-acp-"));
  const removeFolder = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    // The attempt itself ends the child: it first tells the agent to stop.
    const child = await spawnProcess(program.command, program.args, {
      cwd: folder,
      env: childEnvironment(process.env),
      signal: never,
      stdin: "pipe",
    });
    const errors = new OutputBuffer(keptErrorBytes);
    child.stderr.on("data", (chunk: Uint8Array) => errors.push(chunk));
    if (child.stdin === null) throw new Error("a piped child has no input");
    return {
      input: child.stdout,
      output: child.stdin,
      folder,
      stop: () => void child.kill(),
      async lastWords() {
        const { exitCode, signal: killedBy } = await child.exited;
        const how = killedBy === null ? `exit code ${exitCode ?? "unknown"}` : `signal ${killedBy}`;
        const lastLine = errors.text().trim().split("\n").at(-1)?.trim() ?? "";
        return `${program.command} ended with ${how}${lastLine === "" ? "" : `: ${lastLine}`}`;
      },
      async [Symbol.asyncDispose]() {
        await child[Symbol.asyncDispose]();
        await removeFolder();
      },
    };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

const secretName = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i;
const ownName = /^(?:GH|GITHUB|COPILOT)_/i;

/** The child gets its own login and none of the keys of others. */
export function childEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => ownName.test(name) || !secretName.test(name));
  return Object.fromEntries(kept);
}

async function openSocket(url: URL, signal: AbortSignal): Promise<AcpLink> {
  signal.throwIfAborted();
  const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port) });
  const opened = new Deferred<void>();
  const closed = new Deferred<void>();
  socket.once("connect", () => opened.resolve());
  // The listener stays: an error without one would end the program.
  socket.on("error", (error) => opened.reject(error));
  socket.once("close", () => closed.resolve());
  try {
    await raceAbort(opened.promise, signal);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return {
    input: socket,
    output: socket,
    folder: tmpdir(),
    stop: () => socket.destroy(),
    lastWords: () => Promise.resolve(`${url.host} closed the connection`),
    async [Symbol.asyncDispose]() {
      socket.destroy();
      await closed.promise;
    },
  };
}
