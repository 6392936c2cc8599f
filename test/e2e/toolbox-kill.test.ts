import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";

const source = path.join(import.meta.dirname, "../../src");
const fakeServer = path.join(import.meta.dirname, "../fakes/mcp-server/server.mjs");
const from = (file: string): string => JSON.stringify(path.join(source, file));

/** Opens a toolbox from settings, uses everything of it that starts programs, and waits to be killed. */
const program = (folder: string): string => `
import { loadConfig } from "#config";
import { systemClock } from "#foundation/time/clock";
import { silentLogger } from "#foundation/files/logger";
import { HermesHome } from "#foundation/files/paths";
import { Redactor } from "#foundation/secrets/redact";
import { openTools } from ${from("tools/open/open-tools.ts")};
import { testScope, toolContext } from ${from("tools/testing.ts")};

const folder = ${JSON.stringify(folder)};
const env = { HOME: folder, PATH: process.env.PATH };
const home = new HermesHome(folder + "/.hermes");
const cwd = folder + "/project";
const { signal } = new AbortController();
const toolbox = openTools({
  loaded: await loadConfig({ home, env, cwd }), redactor: new Redactor(),
  home, env, cwd, userHome: folder, version: "0", clock: systemClock, logger: silentLogger, notice: () => undefined,
});
const scope = testScope({ cwd });
const { tools, names } = await toolbox.list({}, scope, signal);
const run = async (name, args) => {
  const { content } = await tools.get(name).execute(args, toolContext({ scope, enabledTools: names }));
  if (content.error) throw new Error(name + ": " + content.error);
};
await run("terminal", { command: "sleep 876541", background: true });
await run("terminal", { command: "setsid sleep 876542 & wait", background: true });
void run("execute_code", { code: "import subprocess\\nsubprocess.run(['sleep', '876543'])" });
if (names.has("browser_navigate")) await run("browser_navigate", { url: "about:blank" }).catch(() => undefined);
console.log("ready", names.has("mcp_deaf_echo"));
setInterval(() => undefined, 1000);
`;

interface Running {
  readonly pid: number;
  readonly command: string;
}

/** All processes that carry the mark of the program's guardian, or whose command names one of the sleeps. */
async function children(of: number): Promise<readonly Running[]> {
  const parents = new Map<number, number>();
  const commands = new Map<number, string>();
  for (const name of (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry))) {
    const status = await readFile(`/proc/${name}/status`, "utf8").catch(() => "");
    const command = await readFile(`/proc/${name}/cmdline`, "utf8").catch(() => "");
    if (status === "" || /^State:\s+Z/m.test(status)) continue;
    parents.set(Number(name), Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]));
    commands.set(Number(name), command.replaceAll("\0", " "));
  }
  const isOurs = (pid: number): boolean => {
    for (let at = parents.get(pid); at !== undefined && at > 1; at = parents.get(at)) if (at === of) return true;
    return /sleep 87654\d/.test(commands.get(pid) ?? "");
  };
  return [...commands].filter(([pid]) => isOurs(pid)).map(([pid, command]) => ({ pid, command }));
}

async function isAlive({ pid, command }: Running): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  if (status === "" || /^State:\s+Z/m.test(status)) return false;
  const now = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return now.replaceAll("\0", " ") === command;
}

describe.skipIf(process.platform !== "linux")("a toolbox whose program is killed", () => {
  it("leaves nothing of what it started: commands, scripts, MCP servers, browsers [30:4.7] [30:MCP-03]", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "hermes-toolbox-kill-"));
    await Promise.all([mkdir(path.join(folder, ".hermes")), mkdir(path.join(folder, "project"))]);
    const plan = JSON.stringify({ ignoreTerm: true, stayAfterInput: true });
    await writeFile(
      path.join(folder, ".hermes/config.yaml"),
      `mcp_servers:\n  deaf: ${JSON.stringify({ command: process.execPath, args: [fakeServer, plan] })}\n`,
    );
    const flags = ["--import", "tsx", "--conditions=hermes-source", "--input-type=module"];
    const parent = spawn(process.execPath, [...flags, "-e", program(folder)], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      const hasMcp = await new Promise<string>((resolve, reject) => {
        parent.stdout.on("data", (chunk: Buffer) => {
          const match = /ready (\w+)/.exec(chunk.toString());
          if (match?.[1] !== undefined) resolve(match[1]);
        });
        parent.once("exit", () => reject(new Error("the program ended early")));
      });
      expect(hasMcp).toBe("true");
      const count = async (pattern: RegExp): Promise<number> =>
        (await children(parent.pid ?? -1)).filter(({ command }) => pattern.test(command)).length;
      await expect.poll(() => count(/sleep 876543/), { timeout: 15_000 }).toBeGreaterThan(0);
      const started = await children(parent.pid ?? -1);
      const matching = (pattern: RegExp): number => started.filter(({ command }) => pattern.test(command)).length;
      expect(matching(/mcp-server\/server\.mjs/)).toBeGreaterThan(0);
      for (const sleeper of [/sleep 876541/, /sleep 876542/]) expect(matching(sleeper)).toBeGreaterThan(0);
      parent.kill("SIGKILL");
      const left = async (): Promise<readonly string[]> => {
        const alive = await Promise.all(started.map(isAlive));
        return started.filter((_, index) => alive[index]).map(({ pid, command }) => `${pid} ${command.slice(0, 80)}`);
      };
      await expect.poll(left, { timeout: 8_000, interval: 50 }).toEqual([]);
    } finally {
      parent.kill("SIGKILL");
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});
