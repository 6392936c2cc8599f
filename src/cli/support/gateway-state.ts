import { readTextFile } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { isAlive } from "#foundation/process/alive";

/** The process of the home's gateway, if it runs. */
export async function gatewayPid(home: HermesHome): Promise<number | undefined> {
  const text = (await readTextFile(home.gatewayPid, { maxBytes: 65_536 })) ?? "";
  const pid = Number(/"pid"\s*:\s*(\d+)/.exec(text)?.[1] ?? text.trim());
  return Number.isInteger(pid) && pid > 0 && isAlive(pid) ? pid : undefined;
}
