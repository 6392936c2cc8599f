import path from "node:path";
import { describe } from "#foundation/errors";
import type { BackendDeps } from "../backend.ts";
import { isOwnerGone } from "../owner.ts";
import { KeptNames } from "./kept-names.ts";

/** A sandbox that a service runs for us. */
export interface OwnedSandbox {
  readonly id: string;
  /** The task its files are kept for, where they are. */
  readonly keptAs?: string | undefined;
}

/** Sandboxes of a service with the Hermes that owns each, written down here: a service cannot tell whether its owner still lives. */
export class LeftSandboxes {
  readonly #names: KeptNames;
  readonly #deps: BackendDeps;

  constructor(deps: BackendDeps, service: string) {
    this.#deps = deps;
    this.#names = new KeptNames(path.join(deps.sandboxDir, `${service}_sandboxes.json`));
  }

  async add(owner: string, { id, keptAs }: OwnedSandbox): Promise<void> {
    await this.#names.change({ [owner]: keptAs === undefined ? id : `${id} ${keptAs}` });
  }

  async remove(owner: string): Promise<void> {
    await this.#names.change({ [owner]: undefined });
  }

  /** Ends those whose Hermes died. One that cannot be ended has ended itself, or does so when its time is over. */
  async tidy(end: (sandbox: OwnedSandbox) => Promise<void>, signal: AbortSignal): Promise<void> {
    for (const [owner, text] of Object.entries(await this.#names.all())) {
      if (!(await isOwnerGone(owner, signal))) continue;
      const [id = "", ...task] = text.split(" ");
      try {
        await end({ id, keptAs: task.length === 0 ? undefined : task.join(" ") });
        this.#deps.logger.info("ended a sandbox whose Hermes is gone", { id });
      } catch (error) {
        this.#deps.logger.info("a sandbox whose Hermes is gone could not be ended", { id, reason: describe(error) });
      }
      await this.remove(owner);
    }
  }
}
