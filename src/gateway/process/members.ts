import { mkdirSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { readTextFile } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { isAlive } from "#foundation/process/alive";
import { isRecord, parseJson } from "#foundation/text/json";

/** A process that was started with roles of its own, as its status file names it. */
export interface Member {
  readonly pid: number;
  readonly state: Readonly<Record<string, unknown>>;
}

const maxBytes = 1_000_000;

/** The status file of a process with roles of its own: of those a home may have any number. */
export function memberFile(home: HermesHome, pid: number): string {
  return `${folderOf(home)}/${pid}.json`;
}

export async function asMember<T>(home: HermesHome, work: () => Promise<T>): Promise<T> {
  mkdirSync(folderOf(home), { recursive: true, mode: 0o700 });
  try {
    return await work();
  } finally {
    rmSync(memberFile(home, process.pid), { force: true });
  }
}

/** Those that run now; files of processes that died are removed. */
export async function runningMembers(home: HermesHome): Promise<readonly Member[]> {
  const members: Member[] = [];
  for (const name of await readdir(folderOf(home)).catch(() => [])) {
    const [, digits] = /^(\d+)\.json$/u.exec(name) ?? [];
    if (digits === undefined) continue;
    const pid = Number(digits);
    const file = memberFile(home, pid);
    if (!isAlive(pid)) rmSync(file, { force: true });
    else {
      const parsed = parseJson((await readTextFile(file, { maxBytes })) ?? "");
      members.push({ pid, state: parsed.ok && isRecord(parsed.value) ? parsed.value : {} });
    }
  }
  return members.sort((left, right) => left.pid - right.pid);
}

function folderOf(home: HermesHome): string {
  return home.at("gateways");
}
