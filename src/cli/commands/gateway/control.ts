import { spawn } from "node:child_process";
import { UserError } from "#foundation/errors";
import { readTextFile } from "#foundation/files/files";
import { isRecord, parseJson } from "#foundation/text/json";
import { systemClock } from "#foundation/time/clock";
import { endProcess, hasEnded, runningInstance } from "#gateway";
import { exitCodes, type Invocation } from "../../command.ts";
import { hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { homeOf } from "../../support/home.ts";
import { serviceOf } from "./service.ts";

const restartMs = 90_000;

export async function gatewayStop(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { signal } = invocation.io;
  const running = await runningInstance(homeOf(invocation));
  if (running === undefined) {
    out.document({ was_running: false });
    out.line("No gateway runs in this home.");
    return exitCodes.ok;
  }
  const service = serviceOf(invocation);
  if (await service.isInstalled()) await service.run("stop");
  const force = hasFlag(invocation, "force");
  const hasStopped = await endProcess(running.pid, { clock: systemClock, signal, force });
  out.document({ was_running: true, pid: running.pid, has_stopped: hasStopped });
  out.line(
    hasStopped
      ? `The gateway (process ${running.pid}) has ended.`
      : `The gateway (process ${running.pid}) still finishes what it is working on. --force ends it now.`,
  );
  return hasStopped ? exitCodes.ok : exitCodes.failed;
}

export async function gatewayStart(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const service = serviceOf(invocation);
  if (await service.isInstalled()) {
    await service.run("start");
    out.document({ service: service.name });
    out.line(`Started: ${service.name}`);
    return exitCodes.ok;
  }
  return await (await import("./run.ts")).gatewayRun(invocation);
}

/** Lets the running turns end, and starts anew. */
export async function gatewayRestart(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  const home = homeOf(invocation);
  const running = await runningInstance(home);
  const service = serviceOf(invocation);
  if (running !== undefined) {
    process.kill(running.pid, "SIGUSR1");
    if (!(await hasEnded(running.pid, { clock: systemClock, signal: io.signal, waitMs: restartMs })))
      await endProcess(running.pid, { clock: systemClock, signal: io.signal, force: true });
  }
  if (await service.isInstalled()) await service.run("start");
  else
    spawn(process.execPath, [process.argv[1] ?? "", ...profileArgs(invocation), "gateway", "run", "--replace"], {
      cwd: io.cwd,
      env: io.env,
      detached: true,
      stdio: "ignore",
    }).unref();
  out.document({ restarted: running?.pid ?? null });
  out.line(running === undefined ? "The gateway was not running; it is started." : "The gateway starts anew.");
  return exitCodes.ok;
}

export async function gatewayStatus(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const home = homeOf(invocation);
  const running = await runningInstance(home);
  const parsed = parseJson((await readTextFile(home.gatewayState, { maxBytes: 1_000_000 })) ?? "");
  const state = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
  const platforms = isRecord(state["platforms"]) ? state["platforms"] : {};
  const service = serviceOf(invocation);
  const isInstalled = await service.isInstalled();
  out.document({
    is_running: running !== undefined,
    pid: running?.pid ?? null,
    service: isInstalled ? service.name : null,
    state,
  });
  out.line(running === undefined ? "The gateway does not run." : `The gateway runs (process ${running.pid}).`);
  out.line(`Service: ${isInstalled ? service.name : "not installed (hermes gateway install)"}`);
  for (const [id, one] of Object.entries(platforms)) {
    const facts = isRecord(one) ? one : {};
    const why = typeof facts["error_message"] === "string" ? `: ${facts["error_message"]}` : "";
    out.line(`  ${id}  ${String(facts["state"])}${why}`);
  }
  return running === undefined ? exitCodes.failed : exitCodes.ok;
}

export async function gatewayInstall(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const service = serviceOf(invocation);
  if ((await service.isInstalled()) && !hasFlag(invocation, "force"))
    throw new UserError(`The service is installed already: ${service.file}`, { hint: "--force writes it anew." });
  await service.install();
  out.document({ service: service.name, file: service.file });
  out.line(`Installed: ${service.file}`);
  for (const line of service.hints) out.line(line);
  return exitCodes.ok;
}

export async function gatewayUninstall(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const service = serviceOf(invocation);
  const wasInstalled = await service.isInstalled();
  if (wasInstalled) await service.uninstall();
  out.document({ service: service.name, was_installed: wasInstalled });
  out.line(wasInstalled ? `Removed: ${service.file}` : "No service is installed for this home.");
  return exitCodes.ok;
}

function profileArgs({ global }: Invocation): readonly string[] {
  return global.profile === undefined ? [] : ["--profile", global.profile];
}
