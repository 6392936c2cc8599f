import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import { deadline, linkSignals, never } from "#foundation/lifecycle/abort";
import { findExecutable } from "#foundation/process/platform";
import { runProcess } from "#foundation/process/run";
import type { ToolTask } from "../../contract/session-scope.ts";
import type { Terminal } from "../../contract/terminal.ts";
import { type BackendDeps, terminalOptions } from "../remote/backend.ts";
import { startClient } from "../remote/client-program.ts";
import { FileSync } from "../remote/file-sync.ts";
import { isOwnerGone, ownerWord } from "../remote/owner.ts";
import type { RemoteHost, RemoteProcess } from "../remote/remote-host.ts";
import { guardScript, killScript, leftoversScript } from "../remote/remote-script.ts";
import { openRemoteTerminal } from "../remote/remote-terminal.ts";
import { quote } from "../shell/shell-script.ts";
import { TerminalGone } from "../terminal-gone.ts";
import { leftSockets, newControlSocket, removeSocket } from "./control-sockets.ts";
import { type SshTarget, sshTarget } from "./ssh-options.ts";

const connectTimeoutMs = 15_000;

/** The terminal of a task on another machine, through the ssh a person has, with their own configuration and keys. */
export async function openSshTerminal(deps: BackendDeps, task: ToolTask, signal: AbortSignal): Promise<Terminal> {
  const target = sshTarget(deps.settings);
  const program = findExecutable("ssh", deps.env);
  if (program === undefined) throw new UserError("There is no ssh on the PATH.", { hint: "Install OpenSSH." });
  const id = await ownerWord(signal);
  const host = new SshHost(deps, { program, target, id, socket: await newControlSocket() });
  try {
    await host.connect(signal);
    await host.tidy(signal);
  } catch (error) {
    await host[Symbol.asyncDispose]();
    throw error;
  }
  const { settings } = deps;
  return openRemoteTerminal(
    host,
    terminalOptions(deps, task, { id, cwd: task.scope.terminal.cwd ?? (settings.cwd === "." ? "" : settings.cwd) }),
    signal,
  );
}

/**
 * One connection that all programs share. A guard at its other end waits for the end of our pipe: when we die without a farewell,
 * it ends whatever we left there.
 */
class SshHost implements RemoteHost {
  readonly kind = "ssh";
  readonly isPersistent = true;
  readonly clientEnvironment: Readonly<Record<string, string>>;
  readonly #deps: BackendDeps;
  readonly #at: { readonly program: string; readonly target: SshTarget; readonly id: string; readonly socket: string };
  readonly #files: FileSync;
  #guard: RemoteProcess | undefined;

  constructor(
    deps: BackendDeps,
    at: { readonly program: string; readonly target: SshTarget; readonly id: string; readonly socket: string },
  ) {
    this.#deps = deps;
    this.#at = at;
    this.#files = new FileSync(deps, this);
    const agent = deps.env["SSH_AUTH_SOCK"];
    this.clientEnvironment = { ...deps.clientEnvironment, ...defined({ SSH_AUTH_SOCK: agent }) };
  }

  start(
    argv: readonly string[],
    { stdin, signal }: { readonly stdin: "pipe" | "ignore"; readonly signal: AbortSignal },
  ): Promise<RemoteProcess> {
    const call = { program: this.#at.program, args: this.#arguments(["-T"], argv) };
    return startClient(call, {
      env: this.clientEnvironment,
      stdin,
      signal,
      watch: (pid) => this.#deps.watch(pid),
    });
  }

  underPty(argv: readonly string[]) {
    return { program: this.#at.program, args: this.#arguments(["-tt"], argv) };
  }

  refresh(signal: AbortSignal): Promise<void> {
    return this.#files.refresh(signal);
  }

  readonly reconnect = async (signal: AbortSignal): Promise<void> => {
    await this.#hangUp();
    await this.connect(signal);
  };

  /** Opens the connection, and puts the guard at its other end. */
  async connect(signal: AbortSignal): Promise<void> {
    using limit = deadline(connectTimeoutMs);
    const checked = await runProcess(this.#at.program, this.#arguments(["-T"], ["true"]), {
      env: this.clientEnvironment,
      signal: linkSignals(signal, limit.signal),
      cwd: "/",
      // The connection goes on in the background when this ends.
      keepDescendants: true,
    });
    signal.throwIfAborted();
    if (checked.exitCode !== 0) {
      const why = limit.signal.aborted ? "no answer in time" : checked.stderr.trim().split("\n").at(-1);
      throw new TerminalGone(`${this.#at.target.destination} cannot be reached over ssh: ${why}`, {
        mayHaveRun: false,
      });
    }
    const guard = await this.start(["sh", "-c", guardScript, "hermes", this.#at.id, killScript], {
      stdin: "pipe",
      signal: never,
    });
    guard.stdout.resume();
    guard.stderr.resume();
    this.#guard = guard;
  }

  /** Ends what a Hermes that died left on either side. */
  async tidy(signal: AbortSignal): Promise<void> {
    for (const socket of await leftSockets()) await this.#closeMaster(socket);
    const listed = await this.#output(["sh", "-c", leftoversScript], signal);
    for (const folder of listed.split("\n")) {
      const owner = folder.split("/hermes-remote-")[1];
      if (owner === undefined || !(await isOwnerGone(owner, signal))) continue;
      await this.#output(["sh", "-c", killScript, "hermes", folder, "", `${owner}-`, "10"], signal);
      this.#deps.logger.info("ended what a Hermes that is gone left there", { folder });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#files.bringBack();
    await this.#hangUp();
  }

  async #hangUp(): Promise<void> {
    const guard = this.#guard;
    this.#guard = undefined;
    guard?.stdin?.end("q\n");
    await this.#closeMaster(this.#at.socket);
    await guard?.kill({ graceMs: 500 });
  }

  async #closeMaster(socket: string): Promise<void> {
    using limit = deadline(5_000);
    await runProcess(this.#at.program, ["-S", socket, "-O", "exit", this.#at.target.destination], {
      env: this.clientEnvironment,
      signal: limit.signal,
      cwd: "/",
    });
    await removeSocket(socket);
  }

  async #output(argv: readonly string[], signal: AbortSignal): Promise<string> {
    const client = await this.start(argv, { stdin: "ignore", signal });
    let text = "";
    client.stderr.resume();
    client.stdout.on("data", (chunk: Buffer) => {
      if (text.length < 1_000_000) text += chunk.toString();
    });
    await client.exited;
    return text;
  }

  /** The other side hands one line to the person's shell there, so every argument is quoted for it. */
  #arguments(flags: readonly string[], argv: readonly string[]): readonly string[] {
    const { target, socket } = this.#at;
    const shared = ["-o", "ControlMaster=auto", "-o", `ControlPath=${socket}`, "-o", "ControlPersist=300"];
    const line = `exec ${argv.map(quote).join(" ")}`;
    return [...flags, ...shared, ...target.args, "--", target.destination, line];
  }
}
