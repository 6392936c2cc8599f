import { existsSync } from "node:fs";
import { systemClock } from "#foundation/clock";
import { UserError } from "#foundation/errors";
import { silentLogger } from "#foundation/logger";
import { HermesHome } from "#foundation/paths";
import { openStore } from "#store";

/** `hermes sessions fsck [--repair]`: checks the database and proves that no message was lost. */
export async function sessionsFsck(args: readonly string[], write: (text: string) => void): Promise<number> {
  const unknown = args.find((arg) => arg !== "--repair");
  if (unknown !== undefined) {
    throw new UserError(`hermes sessions fsck does not know "${unknown}".`, {
      hint: "It takes --repair.",
      exitCode: 2,
    });
  }
  const path = HermesHome.resolve(process.env).stateDb;
  if (!existsSync(path)) {
    write(`There is no database yet at ${path}.\n`);
    return 0;
  }
  await using store = await openStore({ path }, { clock: systemClock, log: silentLogger });
  const report = await store.maintenance.fsck({ repair: args.includes("--repair") });
  for (const problem of report.problems) write(`problem   ${problem}\n`);
  for (const repair of report.repairs) write(`repaired  ${repair}\n`);
  const kept = report.messagesBefore === report.messagesAfter && report.fingerprintBefore === report.fingerprintAfter;
  write(
    `messages  ${report.messagesAfter}, ${kept ? "every one as before" : `but there were ${report.messagesBefore} before`}\n`,
  );
  write(`digest    ${report.fingerprintAfter}\n`);
  if (report.isHealthy) write(`${path} is sound.\n`);
  else if (report.repairs.length === 0) write("Run: hermes sessions fsck --repair\n");
  return kept && (report.isHealthy || report.repairs.length > 0) ? 0 : 1;
}
