import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import type { Invocation } from "../../command.ts";
import { serviceOf } from "./open.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hermes-service-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A machine whose service manager writes down what it is asked. */
async function machine(manager: "systemctl" | "launchctl") {
  const bin = path.join(folder, "bin");
  await mkdir(bin);
  await writeFile(path.join(bin, manager), `#!/bin/sh\necho "$@" >> ${folder}/asked\n`);
  await chmod(path.join(bin, manager), 0o755);
  const env = { HOME: folder, HERMES_HOME: path.join(folder, ".hermes"), PATH: `${bin}:/usr/bin:/bin` };
  const invocation = { flags: {}, args: [], io: { env, signal: never }, global: { isJson: false, hasColor: false } };
  const asked = async () => (await readFile(path.join(folder, "asked"), "utf8")).trim().split("\n");
  return { invocation: invocation as unknown as Invocation, asked };
}

describe("the gateway as a service", () => {
  it("of systemd is a unit that is started again where that helps [40:PRC-37] [40:PRC-38]", async () => {
    const { invocation, asked } = await machine("systemctl");
    const service = serviceOf(invocation, "linux");
    expect(await service.isInstalled()).toBe(false);
    await service.install();
    await service.run("start");
    const unit = await readFile(path.join(folder, ".config/systemd/user/hermes-gateway.service"), "utf8");
    expect(unit).toMatch(/^ExecStart=\S+ \S+ gateway run --replace$/mu);
    for (const line of [
      "Type=simple",
      "Restart=on-failure",
      "RestartSec=30",
      "RestartForceExitStatus=75",
      "StartLimitIntervalSec=600",
      "StartLimitBurst=5",
      "KillMode=mixed",
      "KillSignal=SIGTERM",
      "TimeoutStopSec=90",
      "ExecReload=/bin/kill -USR1 $MAINPID",
      `Environment="HERMES_HOME=${folder}/.hermes"`,
    ])
      expect(unit.split("\n")).toContain(line);
    expect(service.hints.join()).toContain("enable-linger");
    await service.uninstall();
    expect(await service.isInstalled()).toBe(false);
    expect(await asked()).toEqual([
      "--user show-environment",
      "--user daemon-reload",
      "--user enable hermes-gateway.service",
      "--user start hermes-gateway.service",
      "--user disable --now hermes-gateway.service",
      "--user daemon-reload",
    ]);
  });

  it("has the time to finish what it works on that the settings give it, also once they change [40:PRC-38] [40:PRC-40]", async () => {
    const { invocation } = await machine("systemctl");
    await mkdir(path.join(folder, ".hermes"), { recursive: true });
    await writeFile(path.join(folder, ".hermes/config.yaml"), "agent: { restart_drain_timeout: 300 }\n");
    const [unit, agent] = [serviceOf(invocation, "linux"), serviceOf(invocation, "darwin")];
    await unit.install();
    await agent.install();
    expect(await readFile(unit.file, "utf8")).toContain("\nTimeoutStopSec=330\n");
    expect(await readFile(agent.file, "utf8")).toContain("<key>ExitTimeOut</key><integer>330</integer>");
    await writeFile(path.join(folder, ".hermes/config.yaml"), "agent: { restart_drain_timeout: 10 }\n");
    expect(await unit.refresh()).toBe(`${unit.file}.previous`);
    expect(await readFile(unit.file, "utf8")).toContain("\nTimeoutStopSec=90\n");
  });

  it("of another profile has a name of its own [40:PRC-38]", async () => {
    const { invocation } = await machine("systemctl");
    await mkdir(path.join(folder, ".hermes/profiles/work"), { recursive: true });
    const other = { ...invocation, global: { ...invocation.global, profile: "work" } };
    await serviceOf(other, "linux").install();
    const unit = await readFile(path.join(folder, ".config/systemd/user/hermes-gateway-work.service"), "utf8");
    expect(unit).toContain("--profile work gateway run --replace");
  });

  it("of launchd is an agent that starts with the login [40:PRC-37] [40:PRC-39]", async () => {
    const { invocation, asked } = await machine("launchctl");
    const service = serviceOf(invocation, "darwin");
    await service.install();
    await service.run("start");
    const plist = await readFile(path.join(folder, "Library/LaunchAgents/ai.hermes.gateway.plist"), "utf8");
    expect(plist).toContain("<key>RunAtLoad</key><true/>");
    expect(plist).toContain("<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>");
    expect(plist).toContain(`<key>StandardOutPath</key><string>${folder}/.hermes/logs/gateway.log</string>`);
    expect(plist).toContain(`<key>StandardErrorPath</key><string>${folder}/.hermes/logs/gateway.error.log</string>`);
    expect(plist).toContain(`<key>HERMES_HOME</key><string>${folder}/.hermes</string>`);
    const [bootstrap, kickstart] = await asked();
    expect(bootstrap).toMatch(/^bootstrap gui\/\d+ \S+ai\.hermes\.gateway\.plist$/u);
    expect(kickstart).toMatch(/^kickstart gui\/\d+\/ai\.hermes\.gateway$/u);
  });

  it("is loaded anew by launchd after its agent was written anew, with the search path it was installed with [40:PRC-40]", async () => {
    const { invocation, asked } = await machine("launchctl");
    const service = serviceOf(invocation, "darwin");
    await service.install();
    expect(await service.refresh()).toBeUndefined();
    const installed = await readFile(service.file, "utf8");
    const io = { ...invocation.io, env: { ...invocation.io.env, PATH: `${folder}/bin:/somewhere/else` } };
    const later = serviceOf({ ...invocation, io }, "darwin");
    expect(await later.refresh()).toBeUndefined();
    await writeFile(service.file, installed.replace(process.execPath, "/gone/node"));
    expect(await later.refresh()).toBe(`${service.file}.previous`);
    expect(await readFile(service.file, "utf8")).toBe(installed);
    expect(await readFile(`${service.file}.previous`, "utf8")).toContain("/gone/node");
    expect(await asked()).toEqual([expect.stringMatching(/^bootout gui\/\d+\/ai\.hermes\.gateway$/u)]);
  });
});
