import { UserError } from "#foundation/errors";
import type { Invocation } from "../../command.ts";
import { hasFlag } from "../../invocation.ts";
import { accountOf } from "./account.ts";
import { launchd } from "./launchd.ts";
import type { Service } from "./service.ts";
import { systemd } from "./systemd.ts";

/** The service of this home, whether or not it is installed. */
export function serviceOf(invocation: Invocation, platform: NodeJS.Platform = process.platform): Service {
  return platform === "darwin" ? launchd(invocation) : systemd(invocation);
}

/**
 * The service that is meant, and the invocation in the home it serves: with `--system` that of the whole machine, in the
 * home of the user it runs as.
 */
export async function serviceMeant(
  invocation: Invocation,
): Promise<{ readonly on: Invocation; readonly service: Service }> {
  if (!hasFlag(invocation, "system")) {
    if (hasFlag(invocation, "run-as-user"))
      throw new UserError("--run-as-user needs --system: your own service runs as you.");
    return { on: invocation, service: serviceOf(invocation) };
  }
  if (process.platform !== "linux") throw new UserError("--system is for systemd, which this machine does not have.");
  const account = await accountOf(invocation);
  const { io } = invocation;
  const on = { ...invocation, io: { ...io, env: { ...io.env, HOME: account.home } } };
  return { on, service: systemd(on, account) };
}
