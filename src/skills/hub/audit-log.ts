import { appendFile } from "node:fs/promises";
import { ensureDir } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { toJsonText } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";

export interface AuditLine {
  readonly action: "install" | "update" | "block" | "uninstall" | "audit";
  readonly skill: string;
  readonly source: string;
  readonly identifier: string;
  readonly trust: string;
  readonly verdict: string;
  readonly isForced?: boolean;
  readonly reasons?: readonly string[];
}

/** `.hub/audit.log`: one JSON line for everything that came in, was turned away or left. */
export async function writeAudit(home: HermesHome, clock: Clock, line: AuditLine): Promise<void> {
  await ensureDir(home.at("skills", ".hub"));
  const text = toJsonText({ time: new Date(clock.now()).toISOString(), ...line });
  await appendFile(home.at("skills", ".hub", "audit.log"), `${text}\n`, { mode: 0o600 });
}
