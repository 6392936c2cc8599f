import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { managedBy, managedError, Profiles, removeAlias } from "#config";
import { UserError } from "#foundation/errors";
import { HermesHome } from "#foundation/files/paths";
import { exitCodes, type Invocation } from "../../command.ts";
import { hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { isTerminal, openAsker } from "../../support/ask.ts";
import { gatewayPid } from "../../support/gateway-state.ts";
import { homeOf } from "../../support/home.ts";
import { serviceOf } from "../service/open.ts";

/** Removes what Hermes put on the machine. The package itself is npm's to remove, and is named. */
export async function uninstall(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  const root = HermesHome.installRootOf(io.env);
  const manager = managedBy(homeOf(invocation), io.env);
  if (manager !== undefined) throw managedError(manager, root.root);
  const isFull = hasFlag(invocation, "full");
  if (!(await isConfirmed(invocation, isFull, root.root))) {
    out.line("Nothing was removed.");
    return exitCodes.failed;
  }
  const removed: string[] = [];
  for (const { name, home } of await new Profiles(io.env).list()) {
    const pid = await gatewayPid(home);
    if (pid !== undefined)
      throw new UserError(`The gateway of profile ${name} is running (process ${pid}).`, {
        code: "gateway_running",
        hint: `Stop it first: hermes -p ${name} gateway stop`,
      });
    // Its file stays behind otherwise, and would start what is no longer there with every login.
    const service = serviceOf({ ...invocation, global: { ...invocation.global, profile: name } });
    if (await service.isInstalled()) {
      await service.uninstall();
      removed.push(service.file);
    }
    const alias = await removeAlias(name, name, io.env);
    if (alias.kind === "removed") removed.push(alias.path);
  }
  if (isFull && existsSync(root.root)) {
    await rm(root.root, { recursive: true, force: true });
    removed.push(root.root);
  }
  out.document({ removed, home_kept: isFull ? null : root.root });
  for (const path of removed) out.line(`Removed ${path}`);
  if (!isFull) out.line(`Your data stays in ${root.root}.`);
  out.line("Last step, the program itself: npm uninstall -g hermes-ts");
  return 0;
}

/** Everything a person has is not deleted on a reflex: its name has to be typed. */
async function isConfirmed({ io, flags }: Invocation, isFull: boolean, root: string): Promise<boolean> {
  if (flags["yes"] === true) return true;
  if (!isTerminal(io))
    throw new UserError("hermes uninstall needs a terminal.", {
      code: "terminal_needed",
      hint: "Without one: hermes uninstall -y",
    });
  using asker = openAsker(io);
  if (!isFull) return await asker.confirm("Remove what Hermes put on this machine? Your data stays.", false);
  return (
    (await asker.text(`This deletes ${root} with all sessions, memory and credentials. Type "delete" to continue`)) ===
    "delete"
  );
}
