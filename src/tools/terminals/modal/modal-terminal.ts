import path from "node:path";
import { describe, UserError } from "#foundation/errors";
import { deadline, linkSignals, never, raceAbort } from "#foundation/lifecycle/abort";
import type { ToolTask } from "../../contract/session-scope.ts";
import type { Terminal, TerminalOpener } from "../../contract/terminal.ts";
import { type BackendDeps, containerCwd, terminalOptions } from "../remote/backend.ts";
import { FileSync } from "../remote/file-sync.ts";
import { ownerWord } from "../remote/owner.ts";
import type { RemoteHost, RemoteProcess } from "../remote/remote-host.ts";
import { openRemoteTerminal } from "../remote/remote-terminal.ts";
import { KeptNames } from "../remote/service/kept-names.ts";
import { LeftSandboxes } from "../remote/service/left-sandboxes.ts";
import { withSharedClient } from "../remote/service/shared-client.ts";
import { streamedProcess } from "../remote/service/streamed-process.ts";
import { TerminalGone } from "../terminal-gone.ts";
import { managedModalOpener } from "./managed-terminal.ts";
import { type ModalApp, type ModalClient, type ModalImage, type ModalSandbox, modalClient } from "./modal-sdk.ts";

const appName = "hermes-agent";
const createTimeoutMs = 300_000;
const snapshotTimeoutMs = 120_000;
/** Longer than this no sandbox lives, whatever becomes of us. */
const lifetimeMs = 3_600_000;

/** Terminals in sandboxes of Modal: paid for by the subscription where it is wanted and can be used, else with a key of one's own. */
export function modalOpener(deps: BackendDeps): TerminalOpener {
  const direct = directOpener(deps);
  return async (task, signal) => {
    const mode = deps.settings.modal_mode;
    if (mode === "direct") return direct(task, signal);
    const managed = await managedModalOpener(deps, signal);
    if (managed !== undefined) return managed(task, signal);
    if (mode === "auto") return direct(task, signal);
    throw new UserError("Modal cannot be used through the subscription: there is no login with a paid one.", {
      hint: "Log in with: hermes auth add nous, or set terminal.modal_mode to direct and use a key of your own.",
    });
  };
}

/** Through Modal's own client, which its terminals share. */
function directOpener(deps: BackendDeps): TerminalOpener {
  return withSharedClient(
    (signal) => modalClient(deps, signal),
    (at, signal) => openModalTerminal(deps, at, signal),
  );
}

async function openModalTerminal(
  deps: BackendDeps,
  { client, task }: { readonly client: ModalClient; readonly task: ToolTask },
  signal: AbortSignal,
): Promise<Terminal> {
  const { settings } = deps;
  const left = new LeftSandboxes(deps, "modal");
  const snapshots = new Snapshots(deps);
  await left.tidy((sandbox) => endLeft(client, { sandbox, snapshots }), signal);
  const id = await ownerWord(signal);
  using limit = deadline(createTimeoutMs);
  const both = linkSignals(signal, limit.signal);
  const app = await raceAbort(client.apps.fromName(appName, { createIfMissing: true }), both);
  const sandbox = await createSandbox({ deps, client, app, task, snapshots }, both);
  const keeps = settings.container_persistent ? task.taskId : undefined;
  await left.add(id, { id: sandbox.sandboxId, keptAs: keeps });
  const host = new ModalHost(deps, { sandbox, left, snapshots, id, keptAs: keeps });
  return openRemoteTerminal(
    host,
    {
      ...terminalOptions(deps, task, {
        id,
        cwd: containerCwd({ own: task.scope.terminal.cwd, configured: settings.cwd, fallback: "/root" }, deps.logger),
      }),
      snapshotTimeoutMs: 60_000,
    },
    signal,
  );
}

interface Creation {
  readonly deps: BackendDeps;
  readonly client: ModalClient;
  readonly app: ModalApp;
  readonly task: ToolTask;
  readonly snapshots: Snapshots;
}

/** From what the task kept last time; a snapshot that cannot be used is forgotten, and the image counts. */
async function createSandbox(at: Creation, signal: AbortSignal): Promise<ModalSandbox> {
  const { deps, client, task, snapshots } = at;
  const kept = deps.settings.container_persistent ? await snapshots.of(task.taskId) : undefined;
  if (kept !== undefined) {
    try {
      return await makeSandbox(at, await raceAbort(client.images.fromId(kept), signal), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!isAboutTheImage(error)) throw error;
      await snapshots.set(task.taskId, undefined);
      deps.notice(`What was kept on Modal cannot be used any more (${describe(error)}); the terminal begins anew.`);
    }
  }
  const image = client.images.fromRegistry(task.scope.terminal.image ?? deps.settings.modal_image);
  return makeSandbox(at, image, signal);
}

/** A connection that failed says nothing about the snapshot: only a refusal does. */
function isAboutTheImage(error: unknown): boolean {
  return error instanceof Error && /not.?found|image|snapshot/i.test(`${error.name} ${error.message}`);
}

function makeSandbox(
  { deps, client, app, task }: Creation,
  image: ModalImage,
  signal: AbortSignal,
): Promise<ModalSandbox> {
  const { container_cpu: cpu, container_memory: memoryMiB } = deps.settings;
  const made = client.sandboxes.create(app, image, {
    command: ["sleep", "infinity"],
    cpu,
    memoryMiB,
    timeoutMs: lifetimeMs,
    tags: { hermes_task: task.taskId.slice(0, 60), hermes_profile: deps.profile },
  });
  // One that comes after nobody waits for it any more is ended.
  made.then((sandbox) => (signal.aborted ? sandbox.terminate() : undefined)).catch(() => undefined);
  return raceAbort(made, signal);
}

/** Ends a sandbox whose Hermes died; what it was to keep is kept first. */
async function endLeft(
  client: ModalClient,
  {
    sandbox: { id, keptAs },
    snapshots,
  }: { readonly sandbox: { readonly id: string; readonly keptAs?: string | undefined }; readonly snapshots: Snapshots },
): Promise<void> {
  const sandbox = await client.sandboxes.fromId(id);
  if (keptAs !== undefined) await snapshots.take(sandbox, keptAs);
  await sandbox.terminate();
}

/** Which image has the files of a task, in `modal_snapshots.json`. */
class Snapshots {
  readonly #names: KeptNames;

  constructor({ sandboxDir }: BackendDeps) {
    this.#names = new KeptNames(path.join(sandboxDir, "modal_snapshots.json"));
  }

  /** Names without a prefix were written when there was one way to Modal only. */
  async of(taskId: string): Promise<string | undefined> {
    const all = await this.#names.all();
    const old = all[taskId];
    if (old !== undefined)
      await this.#names.change({ [taskId]: undefined, [`direct:${taskId}`]: all[`direct:${taskId}`] ?? old });
    return all[`direct:${taskId}`] ?? old;
  }

  async set(taskId: string, image: string | undefined): Promise<void> {
    await this.#names.change({ [`direct:${taskId}`]: image });
  }

  async take(sandbox: ModalSandbox, taskId: string): Promise<void> {
    const { imageId } = await sandbox.snapshotFilesystem({ timeoutMs: snapshotTimeoutMs, ttlMs: null });
    await this.set(taskId, imageId);
  }
}

interface HostedSandbox {
  readonly sandbox: ModalSandbox;
  readonly left: LeftSandboxes;
  readonly snapshots: Snapshots;
  readonly id: string;
  readonly keptAs: string | undefined;
}

/** One sandbox; programs run in it through its command interface. */
class ModalHost implements RemoteHost {
  readonly kind = "modal";
  readonly lagMs = 500;
  readonly isPersistent: boolean;
  readonly #deps: BackendDeps;
  readonly #at: HostedSandbox;
  readonly #files: FileSync;

  constructor(deps: BackendDeps, at: HostedSandbox) {
    this.#deps = deps;
    this.#at = at;
    this.isPersistent = at.keptAs !== undefined;
    this.#files = new FileSync(deps, this);
  }

  async start(
    argv: readonly string[],
    { stdin, signal }: { readonly stdin: "pipe" | "ignore"; readonly signal: AbortSignal },
  ): Promise<RemoteProcess> {
    // Closing the input there costs a message less than closing it from here.
    const call = stdin === "pipe" ? argv : ["sh", "-c", 'exec "$@" </dev/null', "sh", ...argv];
    return this.#exec(call, { stdin, pty: false, signal });
  }

  startUnderPty(argv: readonly string[]): Promise<RemoteProcess> {
    return this.#exec(argv, { stdin: "pipe", pty: true, signal: never });
  }

  async #exec(
    argv: readonly string[],
    how: { readonly stdin: "pipe" | "ignore"; readonly pty: boolean; readonly signal: AbortSignal },
  ): Promise<RemoteProcess> {
    const { pty, signal } = how;
    const program = await raceAbort(this.#at.sandbox.exec(argv, { mode: "binary", pty }), signal).catch(
      (error: unknown) => {
        signal.throwIfAborted();
        throw new TerminalGone(`the modal terminal was lost: ${describe(error)}`, { mayHaveRun: false, cause: error });
      },
    );
    const writer = how.stdin === "pipe" ? program.stdin.getWriter() : undefined;
    return streamedProcess(
      {
        stdout: program.stdout,
        stderr: program.stderr,
        stdin: writer && { write: (bytes) => writer.write(bytes), close: () => writer.close() },
        exitCode: program.wait(),
      },
      signal,
    );
  }

  refresh(signal: AbortSignal): Promise<void> {
    return this.#files.refresh(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#files.bringBack();
    const { sandbox, left, snapshots, id, keptAs } = this.#at;
    try {
      if (keptAs !== undefined) await snapshots.take(sandbox, keptAs);
    } catch (error) {
      this.#deps.notice(`The files of the modal terminal could not be kept: ${describe(error)}`);
    }
    try {
      await sandbox.terminate();
      await left.remove(id);
    } catch (error) {
      this.#deps.logger.info("a sandbox of Modal was gone before it was ended", { reason: describe(error) });
    }
    sandbox.detach();
  }
}
