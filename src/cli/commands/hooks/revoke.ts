import { UserError } from "#foundation/errors";
import { joinCommand, readCommand } from "#plugins";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { usageError } from "../../usage-error.ts";
import { openHooks } from "./open.ts";

export async function hooksRevoke(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { consent, autoAccept, userHome } = await openHooks(invocation);
  const { args } = invocation;
  // As one quoted word it is taken apart like the setting; as several words the shell has done so.
  const argv = args.length === 1 ? readCommand(args[0] ?? "", userHome) : args;
  if (argv === undefined || argv.length === 0)
    throw usageError("The command has an open quote.", "Write it as shown by: hermes hooks list");
  const command = joinCommand(argv);
  const events = await consent.revoke(argv);
  if (events.length === 0) {
    const allowed = [...new Set((await consent.entries()).map((one) => joinCommand(one.argv)))];
    throw new UserError(`"${command}" was not allowed.`, {
      code: "hook_not_allowed",
      hint: allowed.length === 0 ? "No hook is allowed." : `Allowed are: ${allowed.join("; ")}`,
    });
  }
  out.document({ command, events, auto_accept: autoAccept });
  out.line(`${command} may no longer run on ${events.join(", ")}. An open chat keeps it until it ends.`);
  if (autoAccept)
    out.note("Hooks run without asking here, this one too: hooks_auto_accept or HERMES_ACCEPT_HOOKS is on.");
  return 0;
}
