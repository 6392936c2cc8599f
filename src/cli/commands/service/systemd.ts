import { rm } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { UserError } from "#foundation/errors";
import { readTextFile } from "#foundation/files/files";
import { isContainer, isTermux, thisMachine } from "#foundation/process/platform";
import { type ProcessResult, runProcess } from "#foundation/process/run";
import type { Invocation } from "../../command.ts";
import { homeOf } from "../../support/home.ts";
import { type Account, systemUnits } from "./account.ts";
import { programOf, stopSeconds, suffixOf } from "./program.ts";
import type { Service, UnitState } from "./service.ts";
import { ServiceFile } from "./service-file.ts";

/** The unit of this user, or with an account that of the whole machine, which runs as that account. */
export function systemd(invocation: Invocation, account?: Account): Service {
  const { env } = invocation.io;
  const home = homeOf(invocation);
  const name = `hermes-gateway${suffixOf(home, env)}.service`;
  const config = env["XDG_CONFIG_HOME"] ?? path.join(env["HOME"] ?? homedir(), ".config");
  const own = path.join(config, "systemd", "user", name);
  const file = account === undefined ? own : path.join(systemUnits, name);
  const searchPath = env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin";
  const unit = new ServiceFile(file, {
    text: async () =>
      unitText(programOf(invocation), {
        home: home.root,
        searchPath,
        name,
        account,
        stopsIn: await stopSeconds(invocation),
      }),
    pathLine: /^Environment="?PATH=.*$/mu,
  });
  const scope = account === undefined ? ["--user"] : [];
  const control = controlOf(invocation, scope);
  return {
    manager: "systemd",
    name,
    file,
    hints:
      account === undefined
        ? ["Start it: hermes gateway start", "Keep it running when you log out: loginctl enable-linger"]
        : [`It runs as ${account.user}, whenever this machine is on. Start it now: sudo hermes gateway start --system`],
    isInstalled: () => unit.exists(),
    state: () => unitState(invocation, [...scope, "show"], name),
    async conflicts() {
      const isOwn = (await readTextFile(own, { maxBytes: 100_000 })) !== undefined;
      const other = isOwn ? await systemUnit(invocation, name) : undefined;
      if (other === undefined) return [];
      const whose = account === undefined ? "you" : account.user;
      return [
        `The service is installed twice, for ${whose} (${own}) and for the whole machine (${other}); each would stop the other's gateway. Remove one: hermes gateway uninstall, or sudo systemctl disable --now ${name} && sudo rm ${other}`,
      ];
    },
    endsWithLogin: () => (account === undefined ? endsWithLogin(invocation) : Promise.resolve(false)),
    async install() {
      await needSystemd(invocation, scope);
      await unit.write();
      await control("daemon-reload");
      await control("enable", name);
    },
    async refresh() {
      const kept = await unit.refresh();
      if (kept !== undefined) await control("daemon-reload");
      return kept;
    },
    async uninstall() {
      await control("disable", "--now", name).catch(() => undefined);
      await rm(file, { force: true });
      await control("daemon-reload").catch(() => undefined);
    },
    run: (action) => control(action, name),
  };
}

function ask({ io }: Invocation, args: readonly string[]): Promise<ProcessResult> {
  return runProcess("systemctl", args, { env: io.env, signal: io.signal, timeoutMs: 120_000 });
}

/** Whether the services of this user end when the user logs out. */
async function endsWithLogin({ io }: Invocation): Promise<boolean> {
  const user = String(process.getuid?.() ?? 0);
  const shown = await runProcess("loginctl", ["show-user", user, "--property=Linger", "--value"], {
    env: io.env,
    signal: io.signal,
    timeoutMs: 10_000,
  }).catch(unlessUserError);
  return shown?.stdout.trim() === "no";
}

/** A program that is not there is no answer. */
function unlessUserError(error: unknown): undefined {
  if (error instanceof UserError) return undefined;
  throw error;
}

function controlOf(invocation: Invocation, scope: readonly string[]): (...args: readonly string[]) => Promise<void> {
  return async (...args) => {
    const all = [...scope, ...args];
    const done = await ask(invocation, all);
    if (done.exitCode !== 0)
      throw new UserError(`systemctl ${all.join(" ")} failed.`, {
        hint: `${done.stderr.trim()} Without systemd, run: hermes gateway run`,
      });
  };
}

/** Nothing is written where nobody would read it. */
async function needSystemd(invocation: Invocation, scope: readonly string[]): Promise<void> {
  const answer = await ask(invocation, [...scope, "show-environment"]).catch(unlessUserError);
  if (answer?.exitCode === 0) return;
  const machine = thisMachine(invocation.io.env);
  if (isTermux(machine))
    throw new UserError("Android does not start services for Termux, so none was installed.", {
      hint: "Keep the phone awake and serve in Termux: termux-wake-lock && hermes gateway run",
    });
  if (isContainer(machine))
    throw new UserError("A container has no service manager, so no service was installed.", {
      hint: "Make `hermes gateway run` the container's command, with a restart policy such as: docker run --restart unless-stopped",
    });
  const whom = scope.length === 0 ? "" : " for this user";
  throw new UserError(`systemd does not respond${whom}, so no service was installed.`, {
    hint: `${answer?.stderr.trim() ?? "There is no systemctl."} Without systemd, run: hermes gateway run`,
  });
}

async function unitState(
  invocation: Invocation,
  show: readonly string[],
  name: string,
): Promise<UnitState | undefined> {
  const asked = [...show, "--property=ActiveState,SubState,MainPID", name];
  const shown = await ask(invocation, asked).catch(unlessUserError);
  const facts = new Map(shown?.stdout.split("\n").map((line) => line.split("=") as [string, string]));
  const active = facts.get("ActiveState");
  if (active === undefined) return undefined;
  // systemd names 0 where nothing runs.
  return { text: `${active} (${facts.get("SubState") ?? ""})`, pid: Number(facts.get("MainPID")) || undefined };
}

/** Where the unit of the same name for the whole machine is, if there is one. */
async function systemUnit(invocation: Invocation, name: string): Promise<string | undefined> {
  const shown = await ask(invocation, ["show", "--property=FragmentPath", "--value", name]).catch(unlessUserError);
  const file = shown?.exitCode === 0 ? shown.stdout.trim() : "";
  return file === "" ? undefined : file;
}

interface UnitFacts {
  readonly home: string;
  readonly searchPath: string;
  readonly name: string;
  readonly stopsIn: number;
  readonly account: Account | undefined;
}

function unitText(program: readonly string[], { home, searchPath, name, stopsIn, account }: UnitFacts): string {
  const edit = account === undefined ? "systemctl --user edit" : "sudo systemctl edit";
  const who =
    account === undefined
      ? ""
      : `User=${account.user}\nGroup=${account.group}\nEnvironment=${quoted(`HOME=${account.home}`)}\n`;
  return `# Written by Hermes, and anew when its installation changes. Changes of your own belong into: ${edit} ${name}
[Unit]
Description=Hermes gateway
After=network-online.target
Wants=network-online.target
StartLimitIntervalSec=600
StartLimitBurst=5

[Service]
Type=simple
${who}ExecStart=${program.map(quoted).join(" ")}
ExecReload=/bin/kill -USR1 $MAINPID
Environment=${quoted(`HERMES_HOME=${home}`)}
Environment=${quoted(`PATH=${searchPath}`)}
Restart=on-failure
RestartSec=30
RestartForceExitStatus=75
KillMode=mixed
KillSignal=SIGTERM
TimeoutStopSec=${stopsIn}
StandardOutput=journal
StandardError=journal

[Install]
WantedBy=${account === undefined ? "default" : "multi-user"}.target
`;
}

/** As systemd reads it: quotes keep spaces, percent signs are doubled. */
function quoted(part: string): string {
  const text = part.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%");
  return /[\s"\\]/u.test(part) || part.includes("=") ? `"${text}"` : text;
}
