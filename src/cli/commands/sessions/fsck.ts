import { silentLogger } from "#foundation/files/logger";
import { systemClock } from "#foundation/time/clock";
import { isStoreDamaged, salvageStore } from "#store";
import type { Invocation } from "../../command.ts";
import { hasFlag } from "../../invocation.ts";
import { snakeCase } from "../../output/json.ts";
import { Output } from "../../output/output.ts";
import { homeOf } from "../../support/home.ts";
import { openExistingStore } from "../../support/store.ts";

/** Checks the database and proves that no message was lost; a damaged file is rebuilt from what can be read. */
export async function sessionsFsck(invocation: Invocation): Promise<number> {
  try {
    return await check(invocation);
  } catch (error) {
    if (!isStoreDamaged(error)) throw error;
    return await salvage(invocation);
  }
}

/** The old file is kept; what could be read of it is in the new one. */
async function salvage(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const location = homeOf(invocation).stateDb;
  if (!hasFlag(invocation, "repair")) {
    out.document({ is_healthy: false, problems: [`${location} is damaged.`], repairs: [] });
    out.line(`problem   ${location} is damaged.`);
    out.line("Run: hermes sessions fsck --repair");
    return 1;
  }
  const { setAside, rows, messages } = await salvageStore(location, { clock: systemClock, log: silentLogger });
  out.document({
    is_healthy: true,
    problems: [`${location} was damaged.`],
    repairs: ["rebuilt"],
    rows,
    messages,
    set_aside: setAside,
  });
  out.line(`repaired  ${location} was rebuilt from ${rows} readable rows, ${messages} of them messages.`);
  out.line(`kept      the damaged file is ${setAside}`);
  return 0;
}

async function check(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const location = homeOf(invocation).stateDb;
  await using store = await openExistingStore(invocation);
  if (store === undefined) {
    out.document({ is_healthy: true, problems: [], repairs: [], messages_after: 0 });
    out.line(`There is no database yet at ${location}.`);
    return 0;
  }
  const repair = hasFlag(invocation, "repair");
  const report = await store.maintenance.fsck({ repair, signal: invocation.io.signal });
  if (repair && report.problems.some((problem) => problem.startsWith("The file is damaged"))) {
    await store[Symbol.asyncDispose]();
    return await salvage(invocation);
  }
  const isKept = report.messagesBefore === report.messagesAfter && report.fingerprintBefore === report.fingerprintAfter;
  out.document({ ...(snakeCase(report) as object), is_every_message_kept: isKept });
  for (const problem of report.problems) out.line(`problem   ${problem}`);
  for (const repaired of report.repairs) out.line(`repaired  ${repaired}`);
  const compared = isKept ? "every one as before" : `but there were ${report.messagesBefore} before`;
  out.line(`messages  ${report.messagesAfter}, ${compared}`);
  out.line(`digest    ${report.fingerprintAfter}`);
  if (report.isHealthy) out.line(`${location} is sound.`);
  else if (report.repairs.length === 0) out.line("Run: hermes sessions fsck --repair");
  return isKept && (report.isHealthy || report.repairs.length > 0) ? 0 : 1;
}
