import { existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { systemErrorCode } from "../errors.ts";

/**
 * Step by step, because Node's own recursive form never returns below a folder that takes no entries, such as `/proc`.
 */
export function makeFolders(path: string, mode?: number): void {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  for (const folder of missing) {
    try {
      mkdirSync(folder, mode);
    } catch (error) {
      if (systemErrorCode(error) !== "EEXIST") throw error; // Somebody else made it meanwhile.
    }
  }
}
