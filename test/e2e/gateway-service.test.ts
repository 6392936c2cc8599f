import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { startTelegramServer } from "../fakes/platforms/telegram-server.ts";
import { Stage } from "./support/stage.ts";

/** A Linux machine whose systemd writes down what it is asked; with a unit for the whole machine where one is named. */
async function machine(
  stage: Stage,
  { systemUnit = "", state = "" }: { readonly systemUnit?: string; readonly state?: string } = {},
) {
  const bin = path.join(stage.folder, "bin");
  const asked = path.join(stage.folder, "asked");
  await mkdir(bin, { recursive: true });
  const answers = `case "$*" in "--user show --property=ActiveState"*) echo '${state}';; show*) echo '${systemUnit}';; esac`;
  const script = `#!/bin/sh\necho "$@" >> '${asked}'\n${answers}\n`;
  await writeFile(path.join(bin, "systemctl"), script);
  await chmod(path.join(bin, "systemctl"), 0o755);
  const env = { PATH: `${bin}:/usr/bin:/bin` };
  const gateway = (action: string, more: Readonly<Record<string, string>> = {}) =>
    stage.run(["gateway", action], { env: { ...env, ...more } });
  const orders = async () =>
    (await readFile(asked, "utf8")).split("\n").filter((line) => line.startsWith("--user ") && !line.includes("show"));
  return { gateway, orders };
}

async function unitOf(stage: Stage): Promise<string> {
  const { stdout } = await stage.run(["gateway", "install", "--force", "--json"], {
    env: { PATH: `${stage.folder}/bin:/usr/bin:/bin` },
  });
  return (JSON.parse(stdout) as { readonly file: string }).file;
}

describe.runIf(process.platform === "linux")("the unit of the gateway", () => {
  for (const action of ["start", "restart"])
    it(`is written anew by ${action} where another installation wrote it [40:PRC-40]`, async () => {
      await using stage = await Stage.open();
      const { gateway, orders } = await machine(stage);
      const file = await unitOf(stage);
      const installed = await readFile(file, "utf8");
      // Another shell has another search path; the unit keeps its own.
      const same = await gateway(action, { PATH: `${stage.folder}/bin:/opt/else:/usr/bin:/bin` });
      expect(same).toMatchObject({ code: 0, stderr: "" });
      expect(await readFile(file, "utf8")).toBe(installed);
      const older = installed.replace(/^ExecStart=.*$/mu, "ExecStart=/opt/older/python -m hermes gateway run");
      await writeFile(file, older);
      const before = (await orders()).length;
      const { code, stderr } = await gateway(action);
      expect(code).toBe(0);
      expect(stderr).toContain(`${file} did not match this installation and was rewritten`);
      expect(await readFile(file, "utf8")).toBe(installed);
      expect(await readFile(`${file}.previous`, "utf8")).toBe(older);
      const name = path.basename(file);
      expect((await orders()).slice(before)).toEqual(["--user daemon-reload", `--user start ${name}`]);
    }, 120_000);

  it("is known to doctor and status, and goes with Hermes when Hermes is uninstalled [20:R8.18] [20:R11.6] [20:R11.8]", async () => {
    await using stage = await Stage.open();
    const { orders } = await machine(stage);
    const env = { PATH: `${stage.folder}/bin:/usr/bin:/bin` };
    await writeFile(path.join(stage.folder, "bin", "loginctl"), "#!/bin/sh\necho no\n", { mode: 0o755 });
    expect((await stage.run(["profile", "create", "work"], { env })).code).toBe(0);
    const file = await unitOf(stage);
    await stage.run(["--profile", "work", "gateway", "install"], { env });
    const work = path.join(path.dirname(file), "hermes-gateway-work.service");
    const name = path.basename(file);
    expect((await stage.run(["status"], { env })).stdout).toContain(`not running, service ${name}`);
    const { stdout } = await stage.run(["doctor", "--offline", "--json"], { env });
    const { checks } = JSON.parse(stdout) as { readonly checks: readonly { readonly name: string }[] };
    expect(checks.find((check) => check.name === name)).toMatchObject({
      state: "warning",
      hint: expect.stringContaining("enable-linger"),
    });
    expect([existsSync(file), existsSync(work)]).toEqual([true, true]);
    const removed = await stage.run(["uninstall", "-y"], { env });
    expect(removed).toMatchObject({ code: 0, stdout: expect.stringContaining(`Removed ${file}`) });
    expect([existsSync(file), existsSync(work), existsSync(stage.home)]).toEqual([false, false, true]);
    expect(await orders()).toContain(`--user disable --now ${name}`);
    expect(await orders()).toContain("--user disable --now hermes-gateway-work.service");
  }, 120_000);

  it("is told of by status --deep as its manager sees it, and a gateway it did not start is named", async () => {
    await using stage = await Stage.open();
    await using telegram = await startTelegramServer();
    await machine(stage, { state: "ActiveState=active\nSubState=running\nMainPID=4242" });
    const env = { PATH: `${stage.folder}/bin:/usr/bin:/bin` };
    const file = await unitOf(stage);
    const name = path.basename(file);
    await stage.run(["config", "set", "telegram.base_url", telegram.url]);
    await stage.run(["gateway", "setup", "telegram", "--token", telegram.token]);
    const status = async (...more: readonly string[]) => await stage.run(["gateway", "status", ...more], { env });
    const idle = await status("--deep", "--full");
    expect(idle.stdout).toBe(
      `The gateway is not running.\nService: ${name}\n  systemd: active (running), process 4242\n  file: ${file}\n`,
    );
    expect(idle.stderr).toBe("");
    const gateway = stage.start(["gateway", "run"]);
    await expect.poll(async () => (await status()).stdout, { timeout: 60_000 }).toContain("telegram  connected\n");
    const plain = await status();
    expect(plain.stdout).not.toContain("4242");
    expect(plain.stderr.replaceAll(/\s+/gu, " ")).toContain(
      `! The gateway (process ${gateway.pid}) was not started by the service ${name}`,
    );
    const { stdout } = await status("--full");
    expect(stdout).toMatch(/^Last report \(20\S+Z\): running, turns running: 0, event loop lag: \d+ ms$/mu);
    expect(stdout).toMatch(/^ {2}telegram {2}connected since 20\S+Z$/mu);
    expect(JSON.parse((await status("--json")).stdout)).toMatchObject({
      unit: { manager: "systemd", state: "active (running)", pid: 4242 },
      is_outside_service: true,
    });
    // Nobody wrote its end down: what it said last is shown only as that.
    gateway.kill("SIGKILL");
    await once(gateway, "exit");
    expect((await status()).stdout).not.toContain("telegram");
    expect((await status("--full")).stdout).toMatch(
      /^The gateway is not running\.$[\s\S]*^Last report [\s\S]*telegram {2}connected/mu,
    );
    await machine(stage, { state: `ActiveState=active\nSubState=running\nMainPID=0` });
    expect((await status("--deep")).stdout).toContain("systemd: active (running), no process\n");
  }, 120_000);

  it("is said to be there twice when the whole machine has one, too [40:PRC-40]", async () => {
    await using stage = await Stage.open();
    const { gateway } = await machine(stage);
    const file = await unitOf(stage);
    expect((await gateway("status")).stderr).toBe("");
    const other = `/etc/systemd/system/${path.basename(file)}`;
    await machine(stage, { systemUnit: other });
    for (const action of ["status", "start"]) {
      const { stderr } = await gateway(action);
      expect(stderr).toContain(`installed twice, for you (${file}) and for the whole machine (${other})`);
    }
  }, 120_000);

  it("is not installed where nothing would start it, and why is explained [40:PRC-40]", async () => {
    await using stage = await Stage.open();
    const nowhere = { PATH: stage.folder };
    const inContainer = await stage.run(["gateway", "install"], { env: { ...nowhere, container: "podman" } });
    expect(inContainer.code).not.toBe(0);
    expect(inContainer.stderr).toContain("A container has no service manager");
    expect(inContainer.stderr).toContain("--restart unless-stopped");
    const inTermux = await stage.run(["gateway", "install"], { env: { ...nowhere, TERMUX_VERSION: "0.118" } });
    expect(inTermux.code).not.toBe(0);
    expect(inTermux.stderr).toContain("termux-wake-lock && hermes gateway run");
    expect(await stage.filesWith("ExecStart", stage.folder)).toEqual([]);
    await machine(stage);
    const { stdout } = await stage.run(["gateway", "install"], { env: { PATH: `${stage.folder}/bin:/usr/bin:/bin` } });
    expect(stdout).toContain("loginctl enable-linger");
  }, 120_000);
});
