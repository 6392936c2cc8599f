import { readFileSync } from "node:fs";

const list = "/proc/net/unix";

/**
 * Socket files on which programs of this machine listen: editors, engines of containers, agents, databases do what they are told there, with the
 * person's rights, and no empty network keeps anybody from them. Programs of a session that listen in a network of their own are not in the list.
 */
export function socketsInUse(): readonly string[] {
  return [...new Set([...textOf(list).matchAll(/ (\/[^\n]*)$/gm)].map(([, file = ""]) => file))];
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // No such list: not Linux.
    return "";
  }
}
