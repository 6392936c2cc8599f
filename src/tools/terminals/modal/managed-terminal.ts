import { describe, UserError } from "#foundation/errors";
import type { ToolTask } from "../../contract/session-scope.ts";
import type { Terminal, TerminalOpener } from "../../contract/terminal.ts";
import { type BackendDeps, containerCwd, terminalOptions } from "../remote/backend.ts";
import { FileSync } from "../remote/file-sync.ts";
import { ownerWord } from "../remote/owner.ts";
import type { RemoteHost, RemoteProcess } from "../remote/remote-host.ts";
import { openRemoteTerminal } from "../remote/remote-terminal.ts";
import { LeftSandboxes } from "../remote/service/left-sandboxes.ts";
import { streamedProcess } from "../remote/service/streamed-process.ts";
import { type ManagedSandbox, startManaged } from "./managed-program.ts";
import { ManagedModal, type SubscriptionAccess } from "./managed-service.ts";

/** Longer than this no sandbox lives, whatever becomes of us. */
const lifetimeMs = 3_600_000;
const shortestIdleMs = 300_000;

/** Terminals at Modal that the subscription pays for; undefined when there is none that can be used. */
export async function managedModalOpener(deps: BackendDeps, signal: AbortSignal): Promise<TerminalOpener | undefined> {
  const access = await deps.subscription?.("modal", signal);
  if (access === undefined) return undefined;
  return (task, during) => openManagedTerminal(deps, { access, task }, during);
}

async function openManagedTerminal(
  deps: BackendDeps,
  { access, task }: { readonly access: SubscriptionAccess; readonly task: ToolTask },
  signal: AbortSignal,
): Promise<Terminal> {
  const { settings } = deps;
  if (settings.credential_files.length > 0)
    throw new UserError("Credential files cannot be handed to Modal through the subscription.", {
      hint: "Set terminal.modal_mode to direct and use a key of your own, or empty terminal.credential_files.",
    });
  const service = new ManagedModal(access);
  const left = new LeftSandboxes(deps, "managed_modal");
  await left.tidy(({ id, keptAs }) => service.terminate(id, keptAs !== undefined), signal);
  const owner = await ownerWord(signal);
  const cwd = containerCwd({ own: task.scope.terminal.cwd, configured: settings.cwd, fallback: "/root" }, deps.logger);
  const keeps = settings.container_persistent;
  const id = await service.create(
    {
      image: task.scope.terminal.image ?? settings.modal_image,
      cwd,
      cpu: settings.container_cpu,
      memoryMiB: settings.container_memory,
      diskMiB: settings.container_disk,
      timeoutMs: lifetimeMs,
      idleTimeoutMs: Math.max(shortestIdleMs, settings.timeout * 1000),
      persistentFilesystem: keeps,
      logicalKey: `${deps.profile}:${task.taskId}`,
    },
    signal,
  );
  await left.add(owner, { id, keptAs: keeps ? task.taskId : undefined });
  const host = new ManagedHost(deps, { sandbox: { service, id, lifetimeMs }, left, owner });
  return openRemoteTerminal(
    host,
    { ...terminalOptions(deps, task, { id: owner, cwd }), snapshotTimeoutMs: 60_000 },
    signal,
  );
}

interface Hosted {
  readonly sandbox: ManagedSandbox;
  readonly left: LeftSandboxes;
  readonly owner: string;
}

/** One sandbox behind the subscription. */
class ManagedHost implements RemoteHost {
  readonly kind = "modal";
  /** Output is asked for now and then. */
  readonly lagMs = 1_000;
  readonly isPersistent: boolean;
  readonly #deps: BackendDeps;
  readonly #at: Hosted;
  readonly #files: FileSync;

  constructor(deps: BackendDeps, at: Hosted) {
    this.#deps = deps;
    this.#at = at;
    this.isPersistent = deps.settings.container_persistent;
    this.#files = new FileSync(deps, this);
  }

  async start(
    argv: readonly string[],
    { stdin, signal }: { readonly stdin: "pipe" | "ignore"; readonly signal: AbortSignal },
  ): Promise<RemoteProcess> {
    return streamedProcess(await startManaged(this.#at.sandbox, argv, stdin), signal);
  }

  refresh(signal: AbortSignal): Promise<void> {
    return this.#files.refresh(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#files.bringBack();
    const { sandbox, left, owner } = this.#at;
    try {
      await sandbox.service.terminate(sandbox.id, this.isPersistent);
      await left.remove(owner);
    } catch (error) {
      this.#deps.logger.info("a sandbox at Modal was gone before it was ended", { reason: describe(error) });
    }
  }
}
