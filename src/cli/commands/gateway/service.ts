import { createHash } from "node:crypto";
import { access, mkdir, rm } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { UserError } from "#foundation/errors";
import { writeFileAtomic } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { runProcess } from "#foundation/process/run";
import type { Invocation } from "../../command.ts";
import { homeOf } from "../../support/home.ts";

/** The gateway as a service of the machine's own manager. */
export interface Service {
  readonly name: string;
  readonly file: string;
  readonly hints: readonly string[];
  isInstalled(): Promise<boolean>;
  install(): Promise<void>;
  uninstall(): Promise<void>;
  run(action: "start" | "stop"): Promise<void>;
}

const drainSeconds = 60;

export function serviceOf(invocation: Invocation, platform: NodeJS.Platform = process.platform): Service {
  return platform === "darwin" ? launchd(invocation) : systemd(invocation);
}

/** One home is the plain name; another one has its own. */
function suffixOf(home: HermesHome, env: NodeJS.ProcessEnv): string {
  const usual = path.join(env["HOME"] ?? homedir(), ".hermes");
  if (home.root === usual) return "";
  const name = home.profileName;
  return `-${/^[a-z0-9][a-z0-9_-]*$/u.test(name) && name !== "default" ? name : createHash("sha256").update(home.root).digest("hex").slice(0, 8)}`;
}

function programOf({ global }: Invocation): readonly string[] {
  const profile = global.profile === undefined ? [] : ["--profile", global.profile];
  return [process.execPath, process.argv[1] ?? "hermes", ...profile, "gateway", "run", "--replace"];
}

function systemdUnit(
  program: readonly string[],
  { home, searchPath }: { readonly home: string; readonly searchPath: string },
): string {
  return `[Unit]
Description=Hermes gateway
After=network-online.target
Wants=network-online.target
StartLimitIntervalSec=600
StartLimitBurst=5

[Service]
Type=simple
ExecStart=${program.map(quoted).join(" ")}
ExecReload=/bin/kill -USR1 $MAINPID
Environment=${quoted(`HERMES_HOME=${home}`)}
Environment=${quoted(`PATH=${searchPath}`)}
Restart=on-failure
RestartSec=30
RestartForceExitStatus=75
KillMode=mixed
KillSignal=SIGTERM
TimeoutStopSec=${drainSeconds + 30}
StandardOutput=journal
StandardError=journal

[Install]
WantedBy=default.target
`;
}

function systemd(invocation: Invocation): Service {
  const { env, signal } = invocation.io;
  const home = homeOf(invocation);
  const name = `hermes-gateway${suffixOf(home, env)}.service`;
  const config = env["XDG_CONFIG_HOME"] ?? path.join(env["HOME"] ?? homedir(), ".config");
  const file = path.join(config, "systemd", "user", name);
  const control = async (...args: readonly string[]): Promise<void> => {
    const done = await runProcess("systemctl", ["--user", ...args], { env, signal, timeoutMs: 120_000 });
    if (done.exitCode !== 0)
      throw new UserError(`systemctl --user ${args.join(" ")} failed.`, {
        hint: `${done.stderr.trim()} Without systemd, run: hermes gateway run`,
      });
  };
  return {
    name,
    file,
    hints: ["Start it: hermes gateway start", "Keep it running when you log out: loginctl enable-linger"],
    isInstalled: () => exists(file),
    async install() {
      const searchPath = env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin";
      await mkdir(path.dirname(file), { recursive: true });
      await writeFileAtomic(file, systemdUnit(programOf(invocation), { home: home.root, searchPath }));
      await control("daemon-reload");
      await control("enable", name);
    },
    async uninstall() {
      await control("disable", "--now", name).catch(() => undefined);
      await rm(file, { force: true });
      await control("daemon-reload").catch(() => undefined);
    },
    run: (action) => control(action, name),
  };
}

function launchdPlist(
  label: string,
  program: readonly string[],
  { home, searchPath, logs }: { readonly home: string; readonly searchPath: string; readonly logs: string },
): string {
  const strings = program.map((part) => `    <string>${escaped(part)}</string>`).join("\n");
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${escaped(label)}</string>
  <key>ProgramArguments</key>
  <array>
${strings}
  </array>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>StandardOutPath</key><string>${escaped(path.join(logs, "gateway.log"))}</string>
  <key>StandardErrorPath</key><string>${escaped(path.join(logs, "gateway.error.log"))}</string>
  <key>EnvironmentVariables</key>
  <dict>
    <key>HERMES_HOME</key><string>${escaped(home)}</string>
    <key>PATH</key><string>${escaped(searchPath)}</string>
  </dict>
</dict>
</plist>
`;
}

function launchd(invocation: Invocation): Service {
  const { env, signal } = invocation.io;
  const home = homeOf(invocation);
  const label = `ai.hermes.gateway${suffixOf(home, env)}`;
  const file = path.join(env["HOME"] ?? homedir(), "Library", "LaunchAgents", `${label}.plist`);
  const domain = `gui/${process.getuid?.() ?? 0}`;
  const control = async (...args: readonly string[]): Promise<void> => {
    const done = await runProcess("launchctl", args, { env, signal, timeoutMs: 60_000 });
    if (done.exitCode !== 0) throw new UserError(`launchctl ${args.join(" ")} failed.`, { hint: done.stderr.trim() });
  };
  return {
    name: label,
    file,
    hints: ["It starts with every login. Start it now: hermes gateway start"],
    isInstalled: () => exists(file),
    async install() {
      const facts = { home: home.root, searchPath: env["PATH"] ?? "/usr/bin:/bin", logs: home.logs };
      await mkdir(path.dirname(file), { recursive: true });
      await writeFileAtomic(file, launchdPlist(label, programOf(invocation), facts));
    },
    async uninstall() {
      await control("bootout", `${domain}/${label}`).catch(() => undefined);
      await rm(file, { force: true });
    },
    async run(action) {
      if (action === "stop") return await control("bootout", `${domain}/${label}`);
      await control("bootstrap", domain, file).catch(() => undefined);
      await control("kickstart", `${domain}/${label}`);
    },
  };
}

async function exists(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  );
}

/** As systemd reads it: quotes keep spaces, percent signs are doubled. */
function quoted(part: string): string {
  const text = part.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%");
  return /[\s"\\]/u.test(part) || part.includes("=") ? `"${text}"` : text;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
