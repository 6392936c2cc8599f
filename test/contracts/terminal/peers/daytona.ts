import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { sandboxesMissing } from "../../../fakes/sandboxes/sandbox.ts";
import { type ServiceProcess, startService } from "../../../fakes/sandboxes/service-process.ts";
import type { FoundSubject, TerminalSubject } from "../subject.ts";
import { backend } from "./backend.ts";
import { packagesDir } from "./modal.ts";
import { makeRootFilesystem } from "./root-filesystem.ts";

export const daytonaKey = "dtn_test_key";

/** Daytona, played on loopback, with what its sandboxes are made of. */
export class DaytonaPeer implements AsyncDisposable {
  readonly folder: string;
  readonly service: ServiceProcess;

  private constructor(folder: string, service: ServiceProcess) {
    this.folder = folder;
    this.service = service;
  }

  static async start(): Promise<DaytonaPeer> {
    const folder = await mkdtemp(path.join(tmpdir(), "hermes-daytona-"));
    const base = path.join(folder, "base");
    await makeRootFilesystem(base);
    const program = fileURLToPath(new URL("../../../fakes/daytona/main.ts", import.meta.url));
    return new DaytonaPeer(folder, await startService(program, [folder, base, daytonaKey]));
  }

  get address(): string {
    return `http://127.0.0.1:${this.service.port}/api`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The real client of Daytona against a Daytona that is played: no account is needed. */
export function findDaytona(): FoundSubject {
  const why = sandboxesMissing();
  if (why !== undefined) return { kind: "missing", name: "daytona", why };
  const start = async (): Promise<TerminalSubject> => daytonaSubject(await DaytonaPeer.start());
  return { kind: "present", name: "daytona", lacks: new Set(["pty"]), start };
}

export async function daytonaSubject(peer: DaytonaPeer): Promise<TerminalSubject> {
  const open = await backend("daytona", {
    sandboxDir: path.join(peer.folder, "sandboxes"),
    settings: { daytona_image: "debian:12" },
    env: { DAYTONA_API_KEY: daytonaKey, DAYTONA_API_URL: peer.address },
    changes: { packagesDir },
  });
  return {
    open,
    environments: () => peer.service.running(),
    destroy: () => peer.service.destroy(),
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}
