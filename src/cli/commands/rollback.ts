import { homedir } from "node:os";
import { silentLogger } from "#foundation/files/logger";
import { relativeTime } from "#foundation/text/figures";
import { systemClock } from "#foundation/time/clock";
import { checkpointService } from "#session";
import { sessionFolder, workspaceSnapshots } from "#tools";
import type { Invocation } from "../command.ts";
import { snakeCase } from "../output/json.ts";
import { Output } from "../output/output.ts";
import { loadSettings } from "../support/settings.ts";

export async function rollbackList(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  using checkpoints = await openCheckpoints(invocation);
  const list = await checkpoints.service.list(invocation.io.signal);
  out.document({ checkpoints: snakeCase(list) });
  if (list.length === 0) {
    out.line("There are no checkpoints for this folder.");
    return 0;
  }
  const nowMs = systemClock.now();
  out.table(
    [{ title: "ID" }, { title: "When" }, { title: "Before", isFlexible: true }, { title: "Files that differ now" }],
    list.map((one) => [one.id.slice(0, 8), relativeTime(one.atMs, nowMs), one.reason, String(one.differing)]),
  );
  return 0;
}

export async function rollbackShow(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  using checkpoints = await openCheckpoints(invocation);
  const diff = await checkpoints.service.diff(invocation.args[0] ?? "", invocation.io.signal);
  out.document({ diff });
  out.line(diff.trim() === "" ? "No difference." : diff.trimEnd());
  return 0;
}

export async function rollbackRestore(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  using checkpoints = await openCheckpoints(invocation);
  const [id = "", file] = invocation.args;
  const message = await checkpoints.service.restore(id, file, invocation.io.signal);
  out.document({ message });
  out.line(message);
  return 0;
}

async function openCheckpoints(invocation: Invocation) {
  const { io } = invocation;
  const { home, loaded } = await loadSettings(invocation, { isQuiet: true });
  const snapshots = workspaceSnapshots({
    home,
    loaded,
    userHome: io.env["HOME"] ?? homedir(),
    clock: systemClock,
    logger: silentLogger,
  });
  return {
    service: checkpointService({ snapshots, folder: () => sessionFolder(io), onTakenBack: () => undefined }),
    [Symbol.dispose]: () => snapshots[Symbol.dispose](),
  };
}
