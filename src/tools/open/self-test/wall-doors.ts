import { existsSync, rmSync } from "node:fs";
import { describe } from "#foundation/errors";
import { silentLogger } from "#foundation/files/logger";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import type { WallLine } from "../../confinement/self-test/self-test.ts";
import { WallProbe } from "../../confinement/self-test/wall-probe.ts";
import type { Walls } from "../../confinement/walls.ts";
import { type McpServerSettings, readServerSettings } from "../../contract/mcp-settings.ts";
import type { SessionScope } from "../../contract/session-scope.ts";
import { unattendedScope } from "../../contract/unattended-scope.ts";
import type { Toolbox } from "../toolbox.ts";
import { type Caller, tryUnheldDoors } from "./unheld-doors.ts";

/** A way by which the model gets a program to run. */
export interface WallDoor {
  readonly name: string;
  /** Runs a command there; it may fail, what it did is seen elsewhere. A text says why it could not be tried. */
  enter(command: string, signal: AbortSignal): Promise<string | undefined>;
}

/** Doors that are not tools. */
export type MoreDoors = (scope: SessionScope) => readonly WallDoor[];

type Tools = Pick<Toolbox, "openSession" | "terminal" | "callTool" | "list">;

const limitMs = 30_000;
const enabled: ReadonlySet<string> = new Set(["terminal", "execute_code", "read_file", "write_file"]);
const server = "an MCP server";

/** Opens a session and tries its wall through every door that the program has, by the code that a model's calls take. */
export async function tryDoors(
  folder: string,
  { tools, walls, more }: { readonly tools: Tools; readonly walls: Walls; readonly more: MoreDoors },
  signal: AbortSignal,
): Promise<readonly WallLine[]> {
  const key = "wall test";
  const plain = unattendedScope({ key, source: "cli", cwd: folder });
  const { confinement, isInForce, isMissing } = await walls.of(plain, signal);
  await using probe = await WallProbe.open(confinement);
  if (!isInForce) {
    await using _session = tools.openSession({ scope: plain, sessionId: () => key, enabledTools: () => enabled });
    const own: Caller = (tool, args) => call(tools, { tool, args }, { scope: plain, signal });
    // Who switched the sandbox off lets commands run; the tools for files are held all the same.
    const refused = isMissing ? await tryUnheldDoors(probe, own) : [];
    return [...refused, await fileTools(tools, { scope: plain, probe }, signal)];
  }
  const scope: SessionScope = { ...plain, mcpServers: probeServers(probe.command(server)) };
  await using _session = tools.openSession({ scope, sessionId: () => key, enabledTools: () => enabled });
  const lines: WallLine[] = [];
  for (const door of [...doorsOf(tools, scope), ...more(scope)]) lines.push(await tried(door, { probe, signal }));
  return [...lines, await fileTools(tools, { scope, probe }, signal)];
}

async function tried(
  door: WallDoor,
  { probe, signal }: { readonly probe: WallProbe; readonly signal: AbortSignal },
): Promise<WallLine> {
  using limit = deadline(limitMs);
  try {
    const problem = await door.enter(probe.command(door.name), linkSignals(signal, limit.signal));
    return probe.line(door.name, problem);
  } catch (error) {
    signal.throwIfAborted();
    return probe.line(door.name, describe(error));
  }
}

function doorsOf(tools: Tools, scope: SessionScope): readonly WallDoor[] {
  const task = { scope, taskId: scope.key };
  const spawned = (pty: boolean) => async (command: string, signal: AbortSignal) => {
    const terminal = await tools.terminal(task, signal);
    if (terminal.kind !== "local") return `commands run in a ${terminal.kind} terminal`;
    const child = await terminal.spawn(command, { pty, signal });
    child.onData(() => undefined);
    await child.exit;
    return undefined;
  };
  return [
    {
      name: "a command",
      async enter(command, signal) {
        const terminal = await tools.terminal(task, signal);
        if (terminal.kind !== "local") return `commands run in a ${terminal.kind} terminal`;
        await terminal.exec(command, { timeoutMs: limitMs, signal });
        return undefined;
      },
    },
    { name: "a background process", enter: spawned(false) },
    { name: "a pseudo-terminal", enter: spawned(true) },
    {
      name: "a script of execute_code",
      async enter(command, signal) {
        const code = `import { spawnSync } from "node:child_process";\nspawnSync("/bin/sh", ["-c", ${JSON.stringify(command)}]);`;
        const answer = await call(
          tools,
          { tool: "execute_code", args: { code, language: "javascript" } },
          { scope, signal },
        );
        return answer.includes('"status":"blocked"') ? "it asks first (approvals.code_execution)" : undefined;
      },
    },
    {
      name: server,
      async enter(_, signal) {
        await tools.list({}, scope, signal);
        return undefined;
      },
    },
  ];
}

/** It is no server: it ends when it has tried. */
function probeServers(command: string): readonly McpServerSettings[] {
  const raw = { command: "/bin/bash", args: ["-c", command], sandbox: "on", connect_timeout: limitMs / 1_000 };
  const reading = readServerSettings("wall-test", raw, { env: {}, logger: silentLogger });
  return reading.kind === "settings" ? [reading.settings] : [];
}

/** They run in this program: the wall judges what they name. */
async function fileTools(
  tools: Tools,
  { scope, probe }: { readonly scope: SessionScope; readonly probe: WallProbe },
  signal: AbortSignal,
): Promise<WallLine> {
  const name = "file tools are held";
  const { secret, outside } = probe;
  const read = await call(tools, { tool: "read_file", args: { path: secret } }, { scope, signal });
  if (outside !== undefined)
    await call(tools, { tool: "write_file", args: { path: outside, content: "x" } }, { scope, signal });
  const isWritten = outside !== undefined && existsSync(outside);
  if (isWritten) rmSync(outside, { force: true });
  const broken = [
    ...(read.includes("canary") ? ["a secret was read"] : []),
    ...(isWritten ? [`${outside} was written`] : []),
  ];
  return broken.length === 0
    ? { name, state: "holds", detail: "a secret was not read, nothing written outside" }
    : { name, state: "broken", detail: broken.join(", ") };
}

async function call(
  tools: Tools,
  wanted: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> },
  { scope, signal }: { readonly scope: SessionScope; readonly signal: AbortSignal },
): Promise<string> {
  return await tools.callTool(wanted, {
    scope,
    taskId: scope.key,
    sessionId: scope.key,
    callId: `wall-test-${wanted.tool}`,
    enabledTools: new Set([wanted.tool]),
    signal,
    progress: () => undefined,
  });
}
