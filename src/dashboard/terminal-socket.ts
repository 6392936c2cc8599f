import type { WebSocket } from "ws";
import { describe, UserError } from "#foundation/errors";
import { onAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { killGroup, signalGroup } from "#foundation/process/run";
import { isRecord, parseJson } from "#foundation/text/json";
import type { DashboardDeps } from "./deps.ts";

export interface TerminalRequest {
  /** The conversation it goes on with; absent begins a new one. */
  readonly resume: string | undefined;
  readonly columns: number;
  readonly rows: number;
}

type Deps = Pick<DashboardDeps, "terminalProgram" | "env" | "cwd" | "sessions" | "logger">;

const mostUnreadBytes = 1_048_576;
const mostInputCharacters = 1_000_000;

/** The terminal of Hermes under a pseudo-terminal, until the socket closes or the program ends. */
export async function serveTerminal(
  socket: WebSocket,
  { resume, columns, rows }: TerminalRequest,
  { deps, signal }: { readonly deps: Deps; readonly signal: AbortSignal },
): Promise<void> {
  const over = new Deferred<void>();
  const early: string[] = [];
  let take = (text: string): void => void early.push(text);
  socket.on("message", (data) => take(String(data)));
  socket.once("close", () => over.resolve());
  socket.on("error", (error) => deps.logger.debug("a socket of the dashboard failed", { error: describe(error) }));
  const id = resume === undefined ? undefined : await deps.sessions.find(resume);
  if (resume !== undefined && id === undefined) return socket.close(4404, "There is no such conversation.");
  const child = await openPty(deps, id === undefined ? [] : ["--resume", id], { columns, rows });
  child.onData((data) => {
    if (socket.readyState !== socket.OPEN) return;
    // What a slow page has not read yet holds the program up, as a slow terminal would.
    const isFull = socket.bufferedAmount > mostUnreadBytes;
    if (isFull) child.pause();
    socket.send(data, () => isFull && child.resume());
  });
  child.onExit(() => socket.close(1000, "ended"));
  take = (text) => {
    const input = readInput(text);
    if (input?.type === "input") child.write(input.data);
    else if (input?.type === "resize") child.resize(input.columns, input.rows);
  };
  for (const text of early) take(text);
  using _end = onAbort(signal, () => over.resolve());
  await over.promise;
  signalGroup(child.pid, "SIGHUP");
  await killGroup(child.pid, { graceMs: 5_000 });
}

async function openPty(deps: Deps, args: readonly string[], size: Pick<TerminalRequest, "columns" | "rows">) {
  const [program = "", ...first] = deps.terminalProgram;
  try {
    const { spawn } = await import("@lydell/node-pty");
    return spawn(program, [...first, ...args], {
      name: "xterm-256color",
      cols: size.columns,
      rows: size.rows,
      cwd: deps.cwd,
      env: { ...deps.env, TERM: "xterm-256color", COLORTERM: "truecolor" },
    });
  } catch (cause) {
    throw new UserError("No pseudo-terminal can be opened on this machine.", { code: "no_pty", cause });
  }
}

type TerminalInput =
  | { readonly type: "input"; readonly data: string }
  | { readonly type: "resize"; readonly columns: number; readonly rows: number };

/** What is neither is left alone. */
function readInput(text: string): TerminalInput | undefined {
  const parsed = parseJson(text);
  if (!parsed.ok || !isRecord(parsed.value)) return undefined;
  const { type, data, columns, rows } = parsed.value;
  if (type === "input" && typeof data === "string" && data.length <= mostInputCharacters) return { type, data };
  if (type !== "resize") return undefined;
  return { type, columns: cells(Number(columns), 120), rows: cells(Number(rows), 30) };
}

/** A size that a terminal can have. */
export const cells = (asked: number, usual: number): number =>
  Number.isSafeInteger(asked) && asked >= 2 && asked <= 1000 ? asked : usual;
