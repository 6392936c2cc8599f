import { spawn } from "node:child_process";
import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import { systemClock } from "#foundation/time/clock";
import { endProcess, hasEnded, runningInstance, runningMembers } from "#gateway";
import { exitCodes, type Invocation } from "../../command.ts";
import { hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { homeOf } from "../../support/home.ts";
import { needRoot, needUser } from "../service/account.ts";
import { serviceMeant, serviceOf } from "../service/open.ts";
import type { Service } from "../service/service.ts";

const restartMs = 90_000;
/** A gateway that no service manager would start again. */
const alone = ["gateway", "run", "--replace", "--keep-trying"] as const;
/** How long gateways of other profiles may take to end before they are made to. */
const patienceMs = 5_000;

/** `hermes gateway stop`: ends the gateway of this home, or with `--all` those of every profile. */
export async function gatewayStop(invocation: Invocation): Promise<number> {
  if (hasFlag(invocation, "system")) return await ofSystem(invocation, ["stop"]);
  const out = new Output(invocation);
  const isAll = hasFlag(invocation, "all");
  const ended: EndedProcess[] = [];
  for (const one of isAll ? await everyProfile(invocation) : [invocation]) ended.push(...(await endOf(one)));
  const [first] = ended;
  if (first === undefined) {
    out.document({ was_running: false });
    out.line(isAll ? "No gateway is running for any profile." : "No gateway is running for this home.");
    return exitCodes.ok;
  }
  const hasStopped = ended.every((one) => one.hasStopped);
  const pids = ended.map(({ pid }) => pid);
  out.document({ was_running: true, pid: first.pid, pids, has_stopped: hasStopped });
  for (const { pid, profile, hasStopped: isOver } of ended) {
    const named = isAll ? `process ${pid}, profile ${profile}` : `process ${pid}`;
    out.line(
      isOver
        ? `The gateway (${named}) has stopped.`
        : `The gateway (${named}) is still finishing its current work. --force stops it now.`,
    );
  }
  return hasStopped ? exitCodes.ok : exitCodes.failed;
}

interface EndedProcess {
  readonly pid: number;
  readonly profile: string;
  readonly hasStopped: boolean;
}

/** The processes of one home, each asked to end. */
async function endOf(
  invocation: Invocation,
  { force = hasFlag(invocation, "force"), waitMs }: { readonly force?: boolean; readonly waitMs?: number } = {},
): Promise<readonly EndedProcess[]> {
  const { signal } = invocation.io;
  const home = homeOf(invocation);
  const running = await runningInstance(home);
  const pids = [...(running === undefined ? [] : [running.pid]), ...(await runningMembers(home)).map(({ pid }) => pid)];
  const service = serviceOf(invocation);
  if (running !== undefined && (await service.isInstalled())) await service.run("stop");
  const how = { clock: systemClock, signal, force, ...defined({ waitMs }) };
  const end = (pid: number): Promise<boolean> => endProcess(pid, how);
  const profile = home.profileName;
  return await Promise.all(pids.map(async (pid) => ({ pid, profile, hasStopped: await end(pid) })));
}

async function everyProfile(invocation: Invocation): Promise<readonly Invocation[]> {
  const { Profiles } = await import("#config");
  const profiles = await new Profiles(invocation.io.env).list();
  return profiles.map(({ name }) => ({ ...invocation, global: { ...invocation.global, profile: name } }));
}

/** Ends the gateways of every profile; one that does not end in time is made to. */
async function clearAll(invocation: Invocation, out: Output): Promise<readonly number[]> {
  const ended: EndedProcess[] = [];
  for (const one of await everyProfile(invocation))
    ended.push(...(await endOf(one, { force: true, waitMs: patienceMs })));
  const left = ended.filter(({ hasStopped }) => !hasStopped).map(({ pid }) => pid);
  if (left.length > 0)
    throw new UserError(`These processes do not stop: ${left.join(", ")}.`, { hint: "Stop them, then start again." });
  for (const { pid, profile } of ended) out.line(`The gateway (process ${pid}, profile ${profile}) has stopped.`);
  return ended.map(({ pid }) => pid);
}

export async function gatewayStart(invocation: Invocation): Promise<number> {
  if (hasFlag(invocation, "system")) return await ofSystem(invocation, ["start"]);
  const out = new Output(invocation);
  const service = serviceOf(invocation);
  if (hasFlag(invocation, "all")) await clearAll(invocation, out);
  if (await service.isInstalled()) {
    await startService(service, out);
    out.document({ service: service.name });
    out.line(`Started: ${service.name}`);
    return exitCodes.ok;
  }
  return await (await import("./run.ts")).gatewayRun(invocation);
}

/** Lets the running turns end, and starts anew. */
export async function gatewayRestart(invocation: Invocation): Promise<number> {
  if (hasFlag(invocation, "system")) return await ofSystem(invocation, ["stop", "start"]);
  const out = new Output(invocation);
  const { io } = invocation;
  const home = homeOf(invocation);
  const ended = hasFlag(invocation, "all") ? await clearAll(invocation, out) : [];
  const running = await runningInstance(home);
  const members = await runningMembers(home);
  if (members.length > 0 && running === undefined) {
    // Each starts itself anew, with its own roles.
    for (const { pid } of members) process.kill(pid, "SIGUSR1");
    out.document({ restarted: members.map(({ pid }) => pid) });
    out.line(`Restarting ${members.length === 1 ? "the process" : `${members.length} processes`} of the gateway.`);
    return exitCodes.ok;
  }
  if (running !== undefined) {
    process.kill(running.pid, "SIGUSR1");
    if (!(await hasEnded(running.pid, { clock: systemClock, signal: io.signal, waitMs: restartMs })))
      await endProcess(running.pid, { clock: systemClock, signal: io.signal, force: true });
  }
  await startedAgain(invocation, out);
  out.document({ restarted: running?.pid ?? null, ended });
  if (ended.length > 0) out.line("The gateway of this profile has been started.");
  else if (running === undefined) out.line("The gateway was not running; it has been started.");
  else out.line("The gateway is restarting.");
  return exitCodes.ok;
}

/** By the service manager where there is a service, else as a process of its own. */
async function startedAgain(invocation: Invocation, out: Output): Promise<void> {
  const { io } = invocation;
  const service = serviceOf(invocation);
  if (await service.isInstalled()) await startService(service, out);
  else
    spawn(process.execPath, [process.argv[1] ?? "", ...profileArgs(invocation), ...alone], {
      cwd: io.cwd,
      env: io.env,
      detached: true,
      stdio: "ignore",
    }).unref();
}

/** The service of the whole machine; stopping it waits until its turns are done. */
async function ofSystem(invocation: Invocation, actions: readonly ("start" | "stop")[]): Promise<number> {
  const out = new Output(invocation);
  needRoot(invocation);
  const { service } = await serviceMeant(invocation);
  if (!(await service.isInstalled()))
    throw new UserError("No service is installed for the whole machine.", {
      hint: "Install it: sudo hermes gateway install --system",
    });
  for (const action of actions) await (action === "start" ? startService(service, out) : service.run("stop"));
  out.document({ service: service.name });
  out.line(`${actions.includes("start") ? "Started" : "Stopped"}: ${service.name}`);
  return exitCodes.ok;
}

/** As this installation would have it started, whatever it was when the service was installed. */
async function startService(service: Service, out: Output): Promise<void> {
  await noteConflicts(service, out);
  const kept = await service.refresh();
  if (kept !== undefined)
    out.note(`${service.file} did not match this installation and was rewritten; the old file: ${kept}`);
  await service.run("start");
}

export async function noteConflicts(service: Service, out: Output): Promise<void> {
  for (const conflict of await service.conflicts()) out.note(`! ${conflict}`);
}

export async function gatewayInstall(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  if (hasFlag(invocation, "system")) {
    needRoot(invocation);
    needUser(invocation);
  }
  const { service } = await serviceMeant(invocation);
  if ((await service.isInstalled()) && !hasFlag(invocation, "force"))
    throw new UserError(`The service is already installed: ${service.file}`, { hint: "Overwrite it with --force." });
  await service.install();
  out.document({ service: service.name, file: service.file });
  out.line(`Installed: ${service.file}`);
  for (const line of service.hints) out.line(line);
  await noteConflicts(service, out);
  return exitCodes.ok;
}

export async function gatewayUninstall(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const isSystem = hasFlag(invocation, "system");
  if (isSystem) needRoot(invocation);
  const { service } = await serviceMeant(invocation);
  const wasInstalled = await service.isInstalled();
  if (wasInstalled) await service.uninstall();
  out.document({ service: service.name, was_installed: wasInstalled });
  out.line(
    wasInstalled
      ? `Removed: ${service.file}`
      : `No service is installed for ${isSystem ? "the whole machine" : "this home"}.`,
  );
  return exitCodes.ok;
}

function profileArgs({ global }: Invocation): readonly string[] {
  return global.profile === undefined ? [] : ["--profile", global.profile];
}
