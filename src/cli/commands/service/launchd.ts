import { rm } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { UserError } from "#foundation/errors";
import { runProcess } from "#foundation/process/run";
import type { Invocation } from "../../command.ts";
import { homeOf } from "../../support/home.ts";
import { programOf, stopSeconds, suffixOf } from "./program.ts";
import type { Service } from "./service.ts";
import { ServiceFile } from "./service-file.ts";

export function launchd(invocation: Invocation): Service {
  const { env, signal } = invocation.io;
  const home = homeOf(invocation);
  const label = `ai.hermes.gateway${suffixOf(home, env)}`;
  const file = path.join(env["HOME"] ?? homedir(), "Library", "LaunchAgents", `${label}.plist`);
  const facts = { home: home.root, searchPath: env["PATH"] ?? "/usr/bin:/bin", logs: home.logs };
  const program = programOf(invocation);
  const plist = new ServiceFile(file, {
    text: async () => plistText(label, program, { ...facts, stopsIn: await stopSeconds(invocation) }),
    pathLine: /^\s*<key>PATH<\/key>.*$/mu,
  });
  const domain = `gui/${process.getuid?.() ?? 0}`;
  const control = async (...args: readonly string[]): Promise<void> => {
    const done = await runProcess("launchctl", args, { env, signal, timeoutMs: 60_000 });
    if (done.exitCode !== 0) throw new UserError(`launchctl ${args.join(" ")} failed.`, { hint: done.stderr.trim() });
  };
  return {
    manager: "launchd",
    name: label,
    file,
    hints: ["It starts with every login. Start it now: hermes gateway start"],
    isInstalled: () => plist.exists(),
    async state() {
      const { exitCode, stdout } = await runProcess("launchctl", ["print", `${domain}/${label}`], {
        env,
        signal,
        timeoutMs: 60_000,
      });
      const named = (field: string) => new RegExp(`^\\s*${field} = (.+)$`, "mu").exec(stdout)?.[1];
      if (exitCode !== 0) return { text: "not loaded", pid: undefined };
      return { text: named("state") ?? "loaded", pid: Number(named("pid")) || undefined };
    },
    conflicts: () => Promise.resolve([]),
    endsWithLogin: () => Promise.resolve(false),
    install: () => plist.write(),
    async refresh() {
      const kept = await plist.refresh();
      // What launchd has loaded is not read again before it is unloaded.
      if (kept !== undefined) await control("bootout", `${domain}/${label}`).catch(() => undefined);
      return kept;
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

interface PlistFacts {
  readonly home: string;
  readonly searchPath: string;
  readonly logs: string;
  readonly stopsIn: number;
}

function plistText(label: string, program: readonly string[], { home, searchPath, logs, stopsIn }: PlistFacts): string {
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
  <key>ExitTimeOut</key><integer>${stopsIn}</integer>
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

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
