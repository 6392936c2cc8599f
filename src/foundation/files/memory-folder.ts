import { createHash } from "node:crypto";
import path from "node:path";
import type { HermesHome } from "./paths.ts";

/** Where what is remembered of a person is kept, theirs alone; the owner's notes are those of the home. */
export function memoryFolder(home: HermesHome, userId: string | undefined): string {
  if (userId === undefined) return home.memories;
  return path.join(home.memories, "users", createHash("sha256").update(userId).digest("hex").slice(0, 32));
}
