import { createHash } from "node:crypto";
import { truncateEnd } from "#foundation/text/text";
import type { ServiceUser, SpokenTurn } from "./service.ts";

/** A name services accept as an id: letters, digits, `_` and `-`. Two names that look alike afterwards stay two. */
export function safeId(name: string, most = 100): string {
  const plain = name.replace(/[^A-Za-z0-9_-]+/g, "-");
  if (plain === name && name.length <= most && name !== "") return name;
  const mark = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${plain.slice(0, most - mark.length - 1)}-${mark}`;
}

/** The owner is called as the settings say; everybody else has a memory of their own. */
export function personOf(user: ServiceUser, owner: string): string {
  return safeId(user.userId ?? owner);
}

const turnCharacters = 20_000;

/** A turn as one text. */
export function turnText({ user, assistant }: SpokenTurn): string {
  return `User: ${truncateEnd(user, turnCharacters)}\n\nAssistant: ${truncateEnd(assistant, turnCharacters)}`;
}

/** Lines for the fence of recalled text. */
export function bulletList(lines: readonly string[]): string {
  return lines
    .filter((line) => line.trim() !== "")
    .map((line) => `- ${line.trim()}`)
    .join("\n");
}
