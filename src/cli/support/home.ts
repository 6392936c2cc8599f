import path from "node:path";
import { HermesHome } from "#foundation/files/paths";
import type { Invocation } from "../command.ts";

/** The home this invocation works in: `--profile`, `HERMES_HOME`, the sticky profile, the root. */
export function homeOf({ io, global }: Pick<Invocation, "io" | "global">): HermesHome {
  const home = HermesHome.resolve(io.env, global.profile);
  return global.configFile === undefined ? home : new HomeWithConfig(home.root, global.configFile);
}

/** A home whose settings are read from a file elsewhere; everything else stays where it is. */
class HomeWithConfig extends HermesHome {
  readonly #file: string;

  constructor(root: string, file: string) {
    super(root);
    this.#file = file;
  }

  override get config(): string {
    return this.#file;
  }
  override get configBackup(): string {
    return `${this.#file}.bak`;
  }
  override get configLock(): string {
    return path.join(path.dirname(this.#file), `.${path.basename(this.#file)}.lock`);
  }
}
