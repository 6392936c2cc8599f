import { readFileSync } from "node:fs";
import type { HostRules } from "../network/host-rules.ts";
import { isWithin } from "./confinement.ts";

const list = "/proc/net/unix";

/**
 * Socket files on which other programs of this machine listen: editors, engines of containers, agents, databases do what they are told there,
 * with the person's rights, and no empty network keeps anybody from them. Programs of a session listen in a network of their own, which this
 * list does not know; where they share that of the machine, sockets where they may write can be theirs.
 */
export function socketsOfOthers(network: HostRules["mode"], writable: readonly string[]): readonly string[] {
  const files = new Set([...textOf(list).matchAll(/ (\/[^\n]*)$/gm)].map(([, file = ""]) => file));
  if (network !== "open") return [...files];
  return [...files].filter((file) => !writable.some((folder) => isWithin(folder, file)));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // No such list: not Linux.
    return "";
  }
}
