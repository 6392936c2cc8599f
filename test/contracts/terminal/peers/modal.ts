import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { sandboxesMissing } from "../../../fakes/sandboxes/sandbox.ts";
import { type ServiceProcess, startService } from "../../../fakes/sandboxes/service-process.ts";
import type { FoundSubject, TerminalSubject } from "../subject.ts";
import { backend } from "./backend.ts";
import { makeRootFilesystem } from "./root-filesystem.ts";

/** Clients of services are installed once for all tests. */
export const packagesDir = path.join(
  process.env["HERMES_TEST_PEERS"] ?? path.join(homedir(), ".cache", "hermes-test-peers"),
  "packages",
);

export const modalToken = { id: "ak-test", secret: "as-test-secret" };

/** Modal, played on loopback, with what its sandboxes are made of. */
export class ModalPeer implements AsyncDisposable {
  readonly folder: string;
  readonly service: ServiceProcess;

  private constructor(folder: string, service: ServiceProcess) {
    this.folder = folder;
    this.service = service;
  }

  static async start(): Promise<ModalPeer> {
    const folder = await mkdtemp(path.join(tmpdir(), "hermes-modal-"));
    const base = path.join(folder, "base");
    await makeRootFilesystem(base);
    const program = fileURLToPath(new URL("../../../fakes/modal/main.ts", import.meta.url));
    return new ModalPeer(folder, await startService(program, [folder, base, modalToken.id, modalToken.secret]));
  }

  get address(): string {
    return `http://127.0.0.1:${this.service.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The real client of Modal against a Modal that is played: no account is needed. */
export function findModal(): FoundSubject {
  const why = sandboxesMissing();
  if (why !== undefined) return { kind: "missing", name: "modal", why };
  const start = async (): Promise<TerminalSubject> => modalSubject(await ModalPeer.start());
  return { kind: "present", name: "modal", start };
}

export async function modalSubject(peer: ModalPeer): Promise<TerminalSubject> {
  // The client of Modal asks the process itself where Modal is.
  process.env["MODAL_SERVER_URL"] = peer.address;
  const open = await backend("modal", {
    sandboxDir: path.join(peer.folder, "sandboxes"),
    settings: { modal_image: "debian:12", modal_mode: "direct" },
    env: { MODAL_TOKEN_ID: modalToken.id, MODAL_TOKEN_SECRET: modalToken.secret },
    changes: { packagesDir },
  });
  return {
    open,
    environments: () => peer.service.running(),
    destroy: () => peer.service.destroy(),
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}
