import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { findExecutable } from "#foundation/process/platform";
import { main, Stage } from "./support/stage.ts";

const canPretend = process.platform === "linux" && findExecutable("bwrap", process.env) !== undefined;

/**
 * A machine of which this program is root, or is not: its units lie in a folder of the stage, and its systemd writes down
 * what it is asked.
 */
async function machine(stage: Stage) {
  const [bin, units, asked] = ["bin", "units", "asked"].map((name) => path.join(stage.folder, name)) as [
    string,
    string,
    string,
  ];
  await Promise.all([mkdir(bin), mkdir(units)]);
  const state = "ActiveState=active\nSubState=running\nMainPID=4242";
  const answers = `case "$*" in "show --property=ActiveState"*) echo '${state}';; esac`;
  await writeFile(path.join(bin, "systemctl"), `#!/bin/sh\necho "$@" >> '${asked}'\n${answers}\n`, { mode: 0o755 });
  const { HERMES_HOME: _, ...env } = stage.environment({ PATH: `${bin}:/usr/bin:/bin` });
  const gateway = (
    args: readonly string[],
    { uid = "0", more = {} }: { readonly uid?: string; readonly more?: Readonly<Record<string, string>> } = {},
  ) => {
    const place = ["--dev-bind", "/", "/", "--bind", units, "/etc/systemd/system"];
    const user = ["--unshare-user", "--uid", uid, "--gid", uid];
    const program = [process.execPath, main, "gateway", ...args];
    const ran = spawnSync("/usr/bin/env", ["bwrap", ...user, ...place, "--", ...program], {
      cwd: stage.work,
      env: { ...env, ...more },
      encoding: "utf8",
    });
    return { ...ran, stderr: ran.stderr.replaceAll(/\s+/gu, " ") };
  };
  const orders = async () => (await readFile(asked, "utf8")).trim().split("\n");
  return { gateway, orders, units, unit: path.join(units, "hermes-gateway.service") };
}

describe.runIf(canPretend)("the service of the whole machine", () => {
  it("is a unit of systemd that runs as the named user, and is controlled with --system [40:PRC-38]", async () => {
    await using stage = await Stage.open();
    const { gateway, orders, unit } = await machine(stage);
    const installed = gateway(["install", "--system", "--run-as-user", "nobody"]);
    expect(installed).toMatchObject({ status: 0, stderr: "" });
    expect(installed.stdout).toContain("Installed: /etc/systemd/system/hermes-gateway.service\nIt runs as nobody");
    const lines = (await readFile(unit, "utf8")).split("\n");
    const [, , , , , home] = spawnSync("getent", ["passwd", "nobody"], { encoding: "utf8" }).stdout.split(":");
    const group = spawnSync("id", ["-gn", "nobody"], { encoding: "utf8" }).stdout.trim();
    for (const line of [
      "User=nobody",
      `Group=${group}`,
      `Environment="HOME=${home}"`,
      `Environment="HERMES_HOME=${home}/.hermes"`,
      `ExecStart=${process.execPath} ${main} gateway run --replace`,
      "TimeoutStopSec=90",
      "WantedBy=multi-user.target",
    ])
      expect(lines).toContain(line);
    expect(gateway(["install", "--system", "--run-as-user", "nobody"]).stderr).toContain("already installed");
    // Whoever controls it later does not become its user.
    const sudo = { more: { SUDO_USER: "root" } };
    expect(gateway(["start", "--system"], sudo)).toMatchObject({ status: 0, stderr: "" });
    expect(gateway(["restart", "--system"], sudo)).toMatchObject({ status: 0, stderr: "" });
    expect((await readFile(unit, "utf8")).split("\n")).toEqual(lines);
    expect(gateway(["status", "--system", "--deep"]).stdout).toContain(
      "Service: hermes-gateway.service\n  systemd: active (running), process 4242\n  file: /etc/systemd/system/hermes-gateway.service",
    );
    expect(gateway(["stop", "--system"]).stdout).toContain("Stopped: hermes-gateway.service");
    expect(gateway(["uninstall", "--system"])).toMatchObject({ status: 0, stderr: "" });
    expect(existsSync(unit)).toBe(false);
    expect((await orders()).filter((order) => !order.startsWith("show"))).toEqual([
      "daemon-reload",
      "enable hermes-gateway.service",
      "start hermes-gateway.service",
      "stop hermes-gateway.service",
      "start hermes-gateway.service",
      "stop hermes-gateway.service",
      "disable --now hermes-gateway.service",
      "daemon-reload",
    ]);
    expect(gateway(["start", "--system"]).stderr).toContain("No service is installed for the whole machine.");
  }, 120_000);

  it("needs root, and a user who is there and is not root by chance [40:PRC-38]", async () => {
    await using stage = await Stage.open();
    const { gateway, units } = await machine(stage);
    const named = ["install", "--system", "--run-as-user", "nobody"];
    for (const args of [named, ["uninstall", "--system"], ["start", "--system"]]) {
      const { status, stderr } = gateway(args, { uid: "1000" });
      expect([status, stderr]).toEqual([1, expect.stringContaining("A service of the whole machine needs root.")]);
    }
    expect(gateway(["install", "--system"]).stderr).toContain("Name the user that the gateway is to run as.");
    expect(gateway(["install", "--system", "--run-as-user", "no-such-user"]).stderr).toContain(
      "There is no user no-such-user on this machine.",
    );
    expect(gateway(["install", "--run-as-user", "nobody"]).stderr).toContain("--run-as-user needs --system");
    expect(await readdir(units)).toEqual([]);
    expect(gateway(["install", "--system"], { more: { SUDO_USER: "nobody" } }).status).toBe(0);
    expect(await readFile(path.join(units, "hermes-gateway.service"), "utf8")).toContain("\nUser=nobody\n");
  }, 120_000);
});
