import { describe, UserError } from "#foundation/errors";
import { deadline, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import type { ToolTask } from "../../contract/session-scope.ts";
import type { Terminal, TerminalFiles, TerminalOpener } from "../../contract/terminal.ts";
import { type BackendDeps, containerCwd, safeName, terminalOptions } from "../remote/backend.ts";
import { FileSync } from "../remote/file-sync.ts";
import { ownerWord } from "../remote/owner.ts";
import { programFiles } from "../remote/program-files.ts";
import type { RemoteHost, RemoteProcess } from "../remote/remote-host.ts";
import { openRemoteTerminal } from "../remote/remote-terminal.ts";
import { LeftSandboxes } from "../remote/service/left-sandboxes.ts";
import { withSharedClient } from "../remote/service/shared-client.ts";
import { streamedProcess } from "../remote/service/streamed-process.ts";
import { TerminalGone } from "../terminal-gone.ts";
import { daytonaFiles } from "./daytona-files.ts";
import { type DaytonaClient, type DaytonaSandbox, daytonaClient } from "./daytona-sdk.ts";
import { startInSession } from "./session-program.ts";

const createSeconds = 300;
const endSeconds = 60;
/** More disk than this no sandbox of Daytona has. */
const mostDiskGib = 10;

/** Terminals in sandboxes of Daytona, through its own client, which they share. */
export function daytonaOpener(deps: BackendDeps): TerminalOpener {
  return withSharedClient(
    (signal) => daytonaClient(deps, signal),
    (at, signal) => openDaytonaTerminal(deps, at, signal),
  );
}

async function openDaytonaTerminal(
  deps: BackendDeps,
  { client, task }: { readonly client: DaytonaClient; readonly task: ToolTask },
  signal: AbortSignal,
): Promise<Terminal> {
  const { settings } = deps;
  const left = new LeftSandboxes(deps, "daytona");
  await left.tidy((sandbox) => endLeft(client, sandbox), signal);
  const id = await ownerWord(signal);
  const keptAs = settings.container_persistent ? task.taskId : undefined;
  using limit = deadline(createSeconds * 1_000);
  const name = `hermes-${safeName(task.taskId)}${keptAs === undefined ? `-${id.slice(-8)}` : ""}`;
  const sandbox = await raceAbort(readySandbox({ deps, client, task, name }), linkSignals(signal, limit.signal));
  await left.add(id, { id: sandbox.id, keptAs });
  const host = new DaytonaHost(deps, { client, sandbox, left, id, keptAs });
  return openRemoteTerminal(
    host,
    {
      ...terminalOptions(deps, task, {
        id,
        cwd: containerCwd({ own: task.scope.terminal.cwd, configured: settings.cwd, fallback: "" }, deps.logger),
      }),
      snapshotTimeoutMs: 60_000,
    },
    signal,
  );
}

interface Creation {
  readonly deps: BackendDeps;
  readonly client: DaytonaClient;
  readonly task: ToolTask;
  readonly name: string;
}

/** The one the task had, started again, or a new one. */
async function readySandbox(at: Creation): Promise<DaytonaSandbox> {
  const found = await at.client.get(at.name).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw asUserError(error);
  });
  if (found === undefined) return createSandbox(at);
  if (found.state !== "started") await found.start(createSeconds);
  return found;
}

async function createSandbox({ deps, client, task, name }: Creation): Promise<DaytonaSandbox> {
  const { daytona_image, container_cpu, container_memory, container_disk } = deps.settings;
  const gib = (megabytes: number): number => Math.max(1, Math.ceil(megabytes / 1024));
  try {
    return await client.create(
      {
        name,
        image: task.scope.terminal.image ?? daytona_image,
        labels: { hermes_task_id: safeName(task.taskId), hermes_profile: safeName(deps.profile) },
        resources: {
          cpu: Math.max(1, Math.ceil(container_cpu)),
          memory: gib(container_memory),
          disk: Math.min(mostDiskGib, gib(container_disk)),
        },
        autoStopInterval: 0,
      },
      { timeout: createSeconds },
    );
  } catch (error) {
    throw asUserError(error);
  }
}

function isNotFound(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error.name === "DaytonaNotFoundError" || ("statusCode" in error && error.statusCode === 404))
  );
}

function asUserError(error: unknown): UserError {
  return new UserError(`Daytona made no sandbox: ${describe(error)}`, {
    hint: "`hermes doctor` looks at the key and the address.",
  });
}

/** Stops a sandbox whose Hermes died; one that was to keep nothing is deleted. */
async function endLeft(
  client: DaytonaClient,
  { id, keptAs }: { readonly id: string; readonly keptAs?: string | undefined },
): Promise<void> {
  const sandbox = await client.get(id);
  await (keptAs === undefined ? sandbox.delete(endSeconds) : sandbox.stop(endSeconds));
}

interface HostedSandbox {
  readonly client: DaytonaClient;
  readonly sandbox: DaytonaSandbox;
  readonly left: LeftSandboxes;
  readonly id: string;
  readonly keptAs: string | undefined;
}

/** One sandbox; programs run in sessions of it. */
class DaytonaHost implements RemoteHost {
  readonly kind = "daytona";
  readonly lagMs = 1_500;
  readonly isPersistent: boolean;
  readonly files: TerminalFiles;
  readonly #deps: BackendDeps;
  readonly #at: HostedSandbox;
  readonly #files: FileSync;
  #sandbox: DaytonaSandbox;

  constructor(deps: BackendDeps, at: HostedSandbox) {
    this.#deps = deps;
    this.#at = at;
    this.#sandbox = at.sandbox;
    this.isPersistent = at.keptAs !== undefined;
    this.#files = new FileSync(deps, this);
    this.files = daytonaFiles(programFiles(this), () => this.#sandbox);
  }

  async start(
    argv: readonly string[],
    { stdin, signal }: { readonly stdin: "pipe" | "ignore"; readonly signal: AbortSignal },
  ): Promise<RemoteProcess> {
    const started = startInSession(this.#sandbox, argv, stdin);
    const program = await raceAbort(started, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw lost(error);
    });
    return streamedProcess(program, signal);
  }

  refresh(signal: AbortSignal): Promise<void> {
    return this.#files.refresh(signal);
  }

  /** A sandbox that was stopped meanwhile is started again. */
  readonly reconnect = async (signal: AbortSignal): Promise<void> => {
    try {
      const sandbox = await raceAbort(this.#at.client.get(this.#at.sandbox.id), signal);
      if (sandbox.state !== "started") await raceAbort(sandbox.start(createSeconds), signal);
      this.#sandbox = sandbox;
    } catch (error) {
      signal.throwIfAborted();
      throw lost(error);
    }
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#files.bringBack();
    try {
      await (this.isPersistent ? this.#sandbox.stop(endSeconds) : this.#sandbox.delete(endSeconds));
      await this.#at.left.remove(this.#at.id);
    } catch (error) {
      this.#deps.logger.info("a sandbox of Daytona was gone before it was ended", { reason: describe(error) });
    }
  }
}

function lost(error: unknown): TerminalGone {
  return new TerminalGone(`the daytona terminal was lost: ${describe(error)}`, { mayHaveRun: false, cause: error });
}
