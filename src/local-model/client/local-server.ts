import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { request } from "node:http";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, UserError } from "#foundation/errors";
import { ensureDir, withFileLock } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { deadline, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import { engineFolder, requireEngine } from "../engine/install.ts";
import { isFree, readServerFile, type ServerFile, writeServerFile } from "../server-file.ts";
import { portTakenCode, type ServerSettings } from "../server-settings.ts";

export interface LocalServerOptions {
  readonly home: HermesHome;
  readonly idleMs: number;
  readonly maxContext?: number | undefined;
}

const startTimeoutMs = 30_000;

/**
 * This program's hold on the process that runs models. All programs of a home share one process; it is started by whoever
 * needs it first and ends with the last connection that holds it, so nothing is left behind, not even after SIGKILL.
 */
export class LocalServer implements AsyncDisposable {
  readonly #options: LocalServerOptions;
  #hold: { readonly isOpen: () => boolean; close(): void } | undefined;
  #opening: Promise<void> | undefined;

  constructor(options: LocalServerOptions) {
    this.#options = options;
  }

  /** Where the server is or will be. A port that somebody else took meanwhile is given up. */
  async address(signal: AbortSignal): Promise<ServerFile> {
    const path = this.#file;
    const known = await readServerFile(path);
    if (known !== undefined && this.#hold?.isOpen() === true) return known;
    if (known !== undefined && ((await isFree(known.port)) || (await this.#tryHold(known)))) return known;
    await ensureDir(this.#options.home.at("models"), 0o700);
    return withFileLock(
      `${path}.lock`,
      async () => {
        const now = await readServerFile(path);
        // Somebody else was faster, and theirs counts.
        return now !== undefined && now.port !== known?.port ? now : writeServerFile(path, now);
      },
      { signal },
    );
  }

  /** Returns when the server answers; starts it where it does not run. */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.#hold?.isOpen() === true) return;
    this.#opening ??= this.#open(signal).finally(() => {
      this.#opening = undefined;
    });
    await raceAbort(this.#opening, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hold?.close();
    this.#hold = undefined;
  }

  get #file(): string {
    return this.#options.home.at("models", "server.json");
  }

  async #open(signal: AbortSignal): Promise<void> {
    const file = await this.address(signal);
    if (this.#hold?.isOpen() === true || (await this.#tryHold(file))) return;
    requireEngine(this.#options.home);
    await withFileLock(
      this.#options.home.at("models", "server.lock"),
      async () => {
        if (await this.#tryHold(file)) return;
        await this.#start(signal);
        if (!(await this.#tryHold(file))) throw notStarted("it does not answer");
      },
      { signal },
    );
  }

  async #start(signal: AbortSignal): Promise<void> {
    const { home, idleMs, maxContext } = this.#options;
    const settings: ServerSettings = {
      modelsFolder: home.at("models"),
      engineFolder: engineFolder(home),
      serverFile: this.#file,
      idleMs,
      maxContext,
    };
    // Its own session: Ctrl-C at this terminal is not meant for a server that others hold, too.
    const child = spawn(process.execPath, [...programArguments(), JSON.stringify(settings)], {
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: serverEnvironment(process.env),
      cwd: home.at("models"),
    });
    using limit = deadline(startTimeoutMs);
    try {
      await raceAbort(started(child), linkSignals(signal, limit.signal));
    } catch (error) {
      child.kill("SIGKILL");
      signal.throwIfAborted();
      throw error instanceof UserError ? error : notStarted(describe(error));
    }
    child.stdout?.destroy();
    child.stderr?.destroy();
    child.unref();
  }

  /** An open connection that asks for nothing. */
  #tryHold({ port, token }: ServerFile): Promise<boolean> {
    return new Promise((resolve) => {
      const held = request({
        host: "127.0.0.1",
        port,
        path: "/v1/hold",
        headers: { authorization: `Bearer ${token}` },
      });
      held.setTimeout(5_000, () => held.destroy());
      held.once("error", () => resolve(false));
      held.once("response", (response) => {
        if (response.statusCode !== 200) {
          held.destroy();
          return resolve(false);
        }
        let isOpen = true;
        response.resume();
        response.once("close", () => {
          isOpen = false;
        });
        response.once("error", () => {
          isOpen = false;
        });
        held.setTimeout(0);
        // Nobody is kept from exiting by a connection that only says "I am here".
        response.socket.unref();
        this.#hold?.close();
        this.#hold = { isOpen: () => isOpen, close: () => held.destroy() };
        resolve(true);
      });
      held.end();
    });
  }
}

type Child = ReturnType<typeof spawn>;

/** Settles with the first line the process says; a process that ends instead tells why. */
function started(child: Child): Promise<void> {
  return new Promise((resolve, reject) => {
    let complaint = "";
    child.stderr?.on("data", (bytes: Buffer) => {
      complaint = (complaint + bytes.toString("utf8")).slice(-2_000);
    });
    child.stdout?.once("data", () => resolve());
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === portTakenCode)
        return reject(notStarted("another program took its port", "Ask again; another port is taken then."));
      reject(notStarted(complaint.trim().split("\n").at(-1) ?? `it ended with code ${code}`));
    });
  });
}

function notStarted(reason: string, hint = "Look at it with: hermes local doctor"): UserError {
  return new UserError(`The model on this machine could not be started: ${reason}.`, {
    code: "local_server_failed",
    hint,
  });
}

/** Keys and tokens of the person are no business of an engine. */
function serverEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "LANG", "SystemRoot", "LD_LIBRARY_PATH"];
  return Object.fromEntries(kept.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** Beside the program once it is built; from its source in development. */
function programArguments(): readonly string[] {
  const here = import.meta.url;
  if (!here.endsWith(".ts")) {
    const file = ["./local-server.mjs", "../local-server.mjs"]
      .map((name) => fileURLToPath(new URL(name, here)))
      .find((name) => existsSync(name));
    if (file === undefined) throw new Error("local-server.mjs is missing from the program");
    return [file];
  }
  const source = fileURLToPath(new URL("../server/main.ts", here));
  return ["--conditions=hermes-source", "--import", pathToFileURL(createRequire(here).resolve("tsx")).href, source];
}
