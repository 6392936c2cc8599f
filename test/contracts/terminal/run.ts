import type { ExecOptions, ExecResult, Terminal } from "#tools/testing";

/** Runs a command with the limits of a test. */
export function run(terminal: Terminal, command: string, options: Partial<ExecOptions> = {}): Promise<ExecResult> {
  return terminal.exec(command, { timeoutMs: 40_000, signal: new AbortController().signal, ...options });
}

export async function output(terminal: Terminal, command: string, options: Partial<ExecOptions> = {}): Promise<string> {
  return (await run(terminal, command, options)).output;
}

/** How many `sleep`s of this length run inside. Lengths are chosen so that nobody else sleeps as long. */
export async function sleepers(terminal: Terminal, seconds: number): Promise<number> {
  const lines = `{ for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' <"$f"; echo; done; } 2>/dev/null`;
  return Number((await output(terminal, `${lines} | grep -c '^sleep ${seconds} '`)).trim());
}

/** Waits until something holds, asking it again and again for a bounded time. */
export async function until(what: () => Promise<boolean>, limitMs = 15_000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await what())) {
    if (performance.now() > end) throw new Error("it did not become true in time");
  }
}

export const never = new AbortController().signal;
