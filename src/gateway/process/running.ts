import { readTextFile } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { isRecord, parseJson } from "#foundation/text/json";
import { runningInstance } from "./instance.ts";
import { type Member, runningMembers } from "./members.ts";

const maxBytes = 1_000_000;

/** Every process of the gateway of a home that lives, with what it says of itself: nothing yet while it starts. */
export async function runningProcesses(home: HermesHome): Promise<readonly Member[]> {
  const [running, members, state] = await Promise.all([
    runningInstance(home),
    runningMembers(home),
    lastKnownState(home),
  ]);
  if (running === undefined) return members;
  const { pid } = running;
  // A file that another process left behind says nothing about this one.
  return [{ pid, state: state["pid"] === pid ? state : {} }, ...members];
}

/** What the gateway of a home said last of itself, whether it lives or not. */
export async function lastKnownState(home: HermesHome): Promise<Readonly<Record<string, unknown>>> {
  const parsed = parseJson((await readTextFile(home.gatewayState, { maxBytes })) ?? "");
  return parsed.ok && isRecord(parsed.value) ? parsed.value : {};
}
