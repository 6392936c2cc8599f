import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Secret } from "#foundation/secrets/secret";
import { sandboxesMissing } from "../../../fakes/sandboxes/sandbox.ts";
import { type ServiceProcess, startService } from "../../../fakes/sandboxes/service-process.ts";
import type { FoundSubject, TerminalSubject } from "../subject.ts";
import { backend } from "./backend.ts";
import { makeRootFilesystem } from "./root-filesystem.ts";

export const subscriptionToken = "portal-token-of-a-test";

/** The subscription's Modal, played on loopback, with what its sandboxes are made of. */
export class ManagedModalPeer implements AsyncDisposable {
  readonly folder: string;
  readonly service: ServiceProcess;

  private constructor(folder: string, service: ServiceProcess) {
    this.folder = folder;
    this.service = service;
  }

  static async start(): Promise<ManagedModalPeer> {
    const folder = await mkdtemp(path.join(tmpdir(), "hermes-managed-modal-"));
    const base = path.join(folder, "base");
    await makeRootFilesystem(base);
    const program = fileURLToPath(new URL("../../../fakes/managed-modal/main.ts", import.meta.url));
    return new ManagedModalPeer(folder, await startService(program, [folder, base, subscriptionToken]));
  }

  get address(): string {
    return `http://127.0.0.1:${this.service.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true, force: true });
  }
}

export function findManagedModal(): FoundSubject {
  const name = "managed modal";
  const why = sandboxesMissing();
  if (why !== undefined) return { kind: "missing", name, why };
  const start = async (): Promise<TerminalSubject> => {
    const peer = await ManagedModalPeer.start();
    const access = { origin: peer.address, token: new Secret(subscriptionToken) };
    const open = await backend("modal", {
      sandboxDir: path.join(peer.folder, "sandboxes"),
      settings: { modal_image: "debian:12", modal_mode: "managed" },
      env: {},
      changes: { subscription: () => Promise.resolve(access) },
    });
    return {
      open,
      environments: () => peer.service.running(),
      destroy: () => peer.service.destroy(),
      [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
    };
  };
  return { kind: "present", name, lacks: new Set(["pty"]), start };
}
