import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import type { ProcessHandle } from "#foundation/process/run";
import { stripAnsi } from "#foundation/text/text";
import { cutMiddle } from "../terminals/command/output-text.ts";
import { HeadTailBuffer } from "../terminals/head-tail-buffer.ts";
import type { TerminalWall } from "../terminals/local/local-terminal.ts";
import { exitCodeOf } from "../terminals/piped-process.ts";
import type { ScriptFunction } from "./functions.ts";
import { findPython } from "./interpreter.ts";
import { javascriptModule } from "./javascript-module.ts";
import { pythonModule } from "./python-module.ts";
import { type RpcDeps, RpcServer, ScriptCalls } from "./rpc-server.ts";
import { scriptEnvironment } from "./script-environment.ts";
import type { ScriptLanguage, ScriptOptions } from "./script-options.ts";
import type { ScriptCall, ScriptStart } from "./script-start.ts";

export interface ScriptRequest {
  readonly code: string;
  readonly language: ScriptLanguage;
  readonly functions: readonly ScriptFunction[];
  /** Directory of the session. */
  readonly cwd: string;
  readonly tempDir: string;
  readonly options: ScriptOptions;
  readonly env: NodeJS.ProcessEnv;
  readonly passthrough: readonly string[];
  readonly extraEnv: Readonly<Record<string, string>>;
  readonly call: RpcDeps["call"];
  redact(text: string): string;
  /** Where scripts of the session start. */
  readonly start: ScriptStart;
  /** Holds the script inside; absent: nothing does. */
  readonly wall?: TerminalWall | undefined;
  readonly signal: AbortSignal;
}

export interface ScriptResult {
  readonly status: "success" | "error" | "timeout" | "interrupted";
  readonly output: string;
  readonly tool_calls_made: number;
  readonly duration_seconds: number;
  readonly error?: string;
  /** What the wall held back, in words for the model. */
  readonly notes?: readonly string[];
}

/** A result, and what it does not say itself. */
export interface RanScript {
  readonly result: ScriptResult;
  /** Hosts that the script reached; undefined where nobody can know. */
  readonly reached: readonly string[] | undefined;
}

/** Runs a script in a process of its own; its tool calls come back over a socket. */
export async function runScript(request: ScriptRequest): Promise<RanScript> {
  const startedMs = performance.now();
  const folder = await request.start.takeFolder(request.tempDir);
  const allowed = new Set(request.functions.map((one) => one.tool));
  const calls = new ScriptCalls({ call: request.call, allowed, maxCalls: request.options.maxToolCalls });
  await using server = new RpcServer(calls);
  try {
    await server.listen(socketIn(folder));
    await writeScript(request, folder);
    request.wall?.begin();
    const ended = await execute(request, folder).catch(async (error: unknown) => {
      await request.wall?.settle();
      throw error;
    });
    const shaped = shape(request, ended, { callsMade: calls.made, durationMs: performance.now() - startedMs });
    const notes = (await request.wall?.settle()) ?? [];
    const reached = request.wall?.takeReached();
    return { result: notes.length === 0 ? shaped : { ...shaped, notes }, reached };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const socketIn = (folder: string): string => path.join(folder, "rpc");
const scriptIn = (folder: string, language: ScriptLanguage): string =>
  path.join(folder, language === "python" ? "script.py" : "script.mjs");

async function writeScript(request: ScriptRequest, folder: string): Promise<void> {
  const own = { mode: 0o600 };
  await writeFile(scriptIn(folder, request.language), request.code, own);
  if (request.language === "python") {
    await writeFile(path.join(folder, "hermes_tools.py"), pythonModule(request.functions), own);
    return;
  }
  const module = path.join(folder, "node_modules", "hermes_tools");
  await mkdir(module, { recursive: true });
  await writeFile(path.join(module, "package.json"), '{"name":"hermes_tools","type":"module","main":"index.js"}', own);
  await writeFile(path.join(module, "index.js"), javascriptModule(request.functions), own);
}

/** How a script came to its end. */
export interface Ended {
  readonly status: "exited" | "timeout" | "interrupted" | "no-interpreter";
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function execute(request: ScriptRequest, folder: string): Promise<Ended> {
  const { start, wall, tempDir } = request;
  const program = request.language === "python" ? findPython(request.env, request.options.mode) : process.execPath;
  if (program === undefined) return { status: "no-interpreter", exitCode: -1, stdout: "", stderr: "" };
  using limit = deadline(request.options.timeoutMs);
  const signal = linkSignals(request.signal, limit.signal);
  if (signal.aborted) return { status: "interrupted", exitCode: 130, stdout: "", stderr: "" };
  const script = (own: string): ScriptCall => callIn(own, program, request);
  const { child, watched } = await start.start(script(folder), { folder, wall, signal });
  using _watched = watched;
  const output = collect(child);
  const exitCode = exitCodeOf(await child.exited);
  const status = request.signal.aborted ? "interrupted" : limit.signal.aborted ? "timeout" : "exited";
  start.prepare(script, { wall, tempDir });
  return { status, exitCode, stdout: output.stdout.text(), stderr: output.stderr.text() };
}

/** How a script is started whose own folder is this one. */
function callIn(folder: string, interpreter: string, request: ScriptRequest): ScriptCall {
  const env = scriptEnvironment(request.env, {
    passthrough: request.passthrough,
    extra: {
      ...request.extraEnv,
      ...request.wall?.environment,
      HERMES_RPC_SOCKET: socketIn(folder),
      PYTHONDONTWRITEBYTECODE: "1",
      PYTHONUNBUFFERED: "1",
    },
  });
  const cwd = request.options.mode === "project" ? request.cwd : folder;
  return { interpreter, file: scriptIn(folder, request.language), cwd, env };
}

function collect(child: ProcessHandle): { readonly stdout: HeadTailBuffer; readonly stderr: HeadTailBuffer } {
  const stdout = new HeadTailBuffer();
  const stderr = new HeadTailBuffer();
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  return { stdout, stderr };
}

/** What the model reads of it. */
export function shape(
  request: Pick<ScriptRequest, "redact" | "options" | "language">,
  ended: Ended,
  facts: { readonly callsMade: number; readonly durationMs: number },
): ScriptResult {
  const clean = (text: string): string => request.redact(stripAnsi(text));
  const stdout = cutMiddle(clean(ended.stdout), request.options.maxStdoutChars);
  const stderr = clean(ended.stderr).slice(0, request.options.maxStderrChars);
  const common = { tool_calls_made: facts.callsMade, duration_seconds: Math.round(facts.durationMs / 10) / 100 };
  const failure = (status: ScriptResult["status"], error: string, output = stdout): ScriptResult => ({
    status,
    output,
    ...common,
    error,
  });
  switch (ended.status) {
    case "no-interpreter":
      return failure("error", `No ${request.language} interpreter was found`);
    case "timeout": {
      const note = `The script was stopped after ${request.options.timeoutMs / 1_000} s`;
      return failure("timeout", note, `${stdout}\n[${note}]`.trim());
    }
    case "interrupted":
      return failure("interrupted", "The script was interrupted", `${stdout}\n[Script interrupted]`.trim());
    case "exited":
      if (ended.exitCode === 0) return { status: "success", output: stdout, ...common };
      return failure(
        "error",
        stderr.trim() === "" ? `The script ended with code ${ended.exitCode}` : stderr.trim(),
        stderr.trim() === "" ? stdout : `${stdout}\n--- stderr ---\n${stderr}`.trim(),
      );
  }
}
