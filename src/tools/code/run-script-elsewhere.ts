import { randomBytes } from "node:crypto";
import { deadline, linkSignals, never, onAbort } from "#foundation/lifecycle/abort";
import type { Terminal } from "../contract/terminal.ts";
import { HeadTailBuffer } from "../terminals/head-tail-buffer.ts";
import { quote } from "../terminals/shell/shell-script.ts";
import { javascriptModule } from "./javascript-module.ts";
import { pythonModule } from "./python-module.ts";
import { ScriptCalls } from "./rpc-server.ts";
import { type Ended, type ScriptRequest, type ScriptResult, shape } from "./run-script.ts";

export interface ScriptElsewhere
  extends Pick<ScriptRequest, "code" | "language" | "functions" | "options" | "call" | "redact" | "signal"> {
  readonly terminal: Terminal;
}

const graceMs = 5_000;
const noInterpreter = 97;

/**
 * Runs a script in a terminal elsewhere. Its calls come back as marked lines of its output, and the answers go in through its
 * input, so whatever carries a background process carries a script.
 */
export async function runScriptElsewhere(request: ScriptElsewhere): Promise<ScriptResult> {
  const startedMs = performance.now();
  const { terminal, options } = request;
  const folder = `${terminal.tempDir}/hermes_exec_${randomBytes(6).toString("hex")}`;
  const allowed = new Set(request.functions.map((one) => one.tool));
  const calls = new ScriptCalls({ call: request.call, allowed, maxCalls: options.maxToolCalls });
  try {
    await sendScript(request, folder);
    const ended = await execute(request, { folder, calls });
    return shape(request, ended, { callsMade: calls.made, durationMs: performance.now() - startedMs });
  } finally {
    using limit = deadline(30_000);
    await terminal.exec(`rm -rf ${quote(folder)}`, { cwd: "/", timeoutMs: 30_000, signal: limit.signal });
  }
}

async function sendScript(
  { terminal, language, code, functions, signal }: ScriptElsewhere,
  folder: string,
): Promise<void> {
  const put = (name: string, text: string): Promise<void> =>
    terminal.files.write(`${folder}/${name}`, Buffer.from(text), signal);
  if (language === "python") {
    await put("hermes_tools.py", pythonModule(functions));
    await put("script.py", code);
    return;
  }
  const own = "node_modules/hermes_tools";
  await put(`${own}/package.json`, '{"name":"hermes_tools","type":"module","main":"index.js"}');
  await put(`${own}/index.js`, javascriptModule(functions));
  await put("script.mjs", code);
}

async function execute(
  request: ScriptElsewhere,
  { folder, calls }: { readonly folder: string; readonly calls: ScriptCalls },
): Promise<Ended> {
  const { terminal, options, language } = request;
  const mark = `hermes-call-${randomBytes(8).toString("hex")}:`;
  const program = language === "python" ? ["python3", "script.py"] : ["node", "script.mjs"];
  const at = quote(folder);
  const command = [
    `command -v ${program[0]} >/dev/null 2>&1 || exit ${noInterpreter}`,
    `export HERMES_RPC_MARK=${mark} HERMES_RPC_FD=9 PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1`,
    `exec ${program[0]} ${at}/${program[1]} 9<&0 </dev/null 2>${at}/stderr`,
  ].join("\n");
  using limit = deadline(options.timeoutMs);
  const signal = linkSignals(request.signal, limit.signal);
  const cwd = options.mode === "project" ? terminal.cwd : folder;
  const child = await terminal.spawn(command, { cwd, pty: false, signal: never });
  using _subscription = onAbort(signal, () => void child.kill(graceMs));
  const stdout = new HeadTailBuffer();
  const lines = new CallReader(mark, {
    output: (text) => stdout.push(Buffer.from(text)),
    // One that is gone needs no answer, and its exit tells the story.
    call: (line) => void calls.answer(line).then((reply) => child.write(`${reply}\n`).catch(() => undefined)),
  });
  child.onData((text) => lines.push(text));
  const exitCode = await child.exit;
  lines.end();
  const status = request.signal.aborted ? "interrupted" : limit.signal.aborted ? "timeout" : "exited";
  if (status === "exited" && exitCode === noInterpreter)
    return { status: "no-interpreter", exitCode, stdout: "", stderr: "" };
  return { status, exitCode, stdout: stdout.text(), stderr: await errorsOf(request, folder) };
}

async function errorsOf({ terminal, options }: ScriptElsewhere, folder: string): Promise<string> {
  using limit = deadline(15_000);
  const most = options.maxStderrChars * 4;
  const ran = await terminal.exec(`head -c ${most} ${quote(`${folder}/stderr`)} 2>/dev/null`, {
    cwd: "/",
    timeoutMs: 15_000,
    signal: limit.signal,
  });
  return ran.output;
}

const longestCall = 16 * 1_048_576;

/** Takes the marked lines out of an output, with the line break before each, so that the rest is exactly what was printed. */
class CallReader {
  readonly #mark: string;
  readonly #to: { output(text: string): void; call(line: string): void };
  #text = "";

  constructor(mark: string, to: { output(text: string): void; call(line: string): void }) {
    this.#mark = `\n${mark}`;
    this.#to = to;
  }

  push(more: string): void {
    this.#text += more;
    for (;;) {
      const start = this.#text.indexOf(this.#mark);
      if (start < 0) break;
      const end = this.#text.indexOf("\n", start + this.#mark.length);
      if (end < 0) {
        if (this.#text.length - start > longestCall) this.end();
        return;
      }
      this.#to.output(this.#text.slice(0, start));
      this.#to.call(this.#text.slice(start + this.#mark.length, end));
      this.#text = this.#text.slice(end + 1);
    }
    // The last part may be the beginning of a mark.
    const safe = Math.max(0, this.#text.length - this.#mark.length);
    this.#to.output(this.#text.slice(0, safe));
    this.#text = this.#text.slice(safe);
  }

  end(): void {
    this.#to.output(this.#text);
    this.#text = "";
  }
}
