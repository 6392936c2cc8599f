import path from "node:path";
import { UserError } from "#foundation/errors";
import { readTextFile } from "#foundation/files/files";
import { runProcess } from "#foundation/process/run";
import type { Invocation } from "../../command.ts";
import { flagText } from "../../invocation.ts";
import { homeOf } from "../../support/home.ts";
import { suffixOf } from "./program.ts";

/** Whom a service of the whole machine runs as. */
export interface Account {
  readonly user: string;
  readonly group: string;
  readonly home: string;
}

export const systemUnits = "/etc/systemd/system";
const maxBytes = 100_000;

/** Named by `--run-as-user`, by the unit that is installed, or else whoever called sudo. */
export async function accountOf(invocation: Invocation): Promise<Account> {
  const { env } = invocation.io;
  const name = `hermes-gateway${suffixOf(homeOf(invocation), env)}.service`;
  const unit = (await readTextFile(path.join(systemUnits, name), { maxBytes })) ?? "";
  const [, installed] = /^User=(.+)$/mu.exec(unit) ?? [];
  const caller = env["SUDO_USER"] ?? String(process.geteuid?.() ?? 0);
  const user = flagText(invocation, "run-as-user") ?? installed ?? caller;
  const entry = (await answerOf(invocation, "getent", "passwd", user)).split(":");
  const [found, , , , , home] = entry;
  if (found === undefined || home === undefined) throw new UserError(`There is no user ${user} on this machine.`);
  return { user: found, group: await answerOf(invocation, "id", "-gn", found), home };
}

/** Root is no user for an agent, unless somebody says so. */
export function needUser(invocation: Invocation): void {
  const caller = invocation.io.env["SUDO_USER"] ?? "root";
  if (flagText(invocation, "run-as-user") === undefined && caller === "root")
    throw new UserError("Name the user that the gateway is to run as.", {
      hint: "hermes gateway install --system --run-as-user <name>",
    });
}

/** Units of the whole machine are root's. */
export function needRoot({ io }: Invocation): void {
  if (process.geteuid?.() !== 0)
    throw new UserError("A service of the whole machine needs root.", {
      hint: `Run it with sudo, or leave --system out: the service is then that of ${io.env["USER"] ?? "your user"} alone.`,
    });
}

async function answerOf({ io }: Invocation, program: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await runProcess(program, args, { env: io.env, signal: io.signal, timeoutMs: 10_000 });
  return stdout.trim();
}
