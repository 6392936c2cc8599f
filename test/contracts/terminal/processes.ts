import { describe, expect, it } from "vitest";
import type { Terminal, TerminalProcess } from "#tools/testing";
import type { Shared } from "./contract.ts";
import { never, run, sleepers, until } from "./run.ts";

interface Watched {
  readonly process: TerminalProcess;
  text(): string;
  /** Waits until the output contains a text. */
  says(text: string): Promise<void>;
}

async function start(
  terminal: Terminal,
  command: string,
  options: { pty?: boolean; cwd?: string; signal?: AbortSignal } = {},
): Promise<Watched> {
  const process = await terminal.spawn(command, { pty: false, signal: never, ...options });
  let text = "";
  let wake = (): void => undefined;
  process.onData((more) => {
    text += more;
    wake();
  });
  return {
    process,
    text: () => text,
    says: (wanted) =>
      new Promise((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error(`it did not say ${wanted}, but: ${text}`)), 20_000);
        wake = () => {
          if (!text.includes(wanted)) return;
          clearTimeout(limit);
          resolve();
        };
        wake();
      }),
  };
}

/** Background processes and pseudo-terminals. */
export function processContract(shared: () => Shared, lacks: ReadonlySet<string>): void {
  describe("background processes", () => {
    it("streams output and tells the exit code [30:4.7]", async () => {
      const { terminal } = shared();
      const one = await start(terminal, "echo first; sleep 0.3; echo second; exit 5");
      await one.says("first");
      expect(await one.process.exit).toBe(5);
      expect(one.text()).toBe("first\nsecond\n");
    });

    it("knows the folder and the variables of the session", async () => {
      const { terminal } = shared();
      await run(terminal, "export FOR_BACKGROUND=yes");
      const one = await start(terminal, 'pwd; echo "$FOR_BACKGROUND"', { cwd: "/tmp" });
      expect(await one.process.exit).toBe(0);
      expect(one.text()).toBe("/tmp\nyes\n");
    });

    it("reads what is written to it until its input is closed", async () => {
      const one = await start(shared().terminal, 'while read -r line; do echo "got $line"; done; echo end');
      await one.process.write("a\n");
      await one.says("got a");
      await one.process.write("b\n");
      await one.process.closeInput();
      expect(await one.process.exit).toBe(0);
      expect(one.text()).toBe("got a\ngot b\nend\n");
    });

    it("is ended with everything it started", async () => {
      const { terminal } = shared();
      const one = await start(terminal, "sleep 70201 & sleep 70201 & echo up; wait");
      await one.says("up");
      await one.process.kill(1_000);
      expect(await one.process.exit).toBeLessThan(0);
      expect(await sleepers(terminal, 70201)).toBe(0);
    });

    it("is forced when it does not want to end", async () => {
      const { terminal } = shared();
      const one = await start(terminal, "trap '' TERM; echo deaf; while :; do sleep 70202; done");
      await one.says("deaf");
      await one.process.kill(500);
      await one.process.exit;
      expect(await sleepers(terminal, 70202)).toBe(0);
    });

    it("ends with its signal, and when it is disposed", async () => {
      const { terminal } = shared();
      const stop = new AbortController();
      const one = await start(terminal, "echo up; sleep 70203", { signal: stop.signal });
      const two = await start(terminal, "echo up; sleep 70203");
      await Promise.all([one.says("up"), two.says("up")]);
      stop.abort();
      await Promise.all([one.process.exit, two.process[Symbol.asyncDispose]()]);
      await until(async () => (await sleepers(terminal, 70203)) === 0);
    });

    it("does not disturb commands in the foreground", async () => {
      const { terminal } = shared();
      const one = await start(terminal, "for i in 1 2 3 4 5; do echo $i; sleep 0.1; done");
      expect((await run(terminal, "echo between")).output).toBe("between\n");
      expect(await one.process.exit).toBe(0);
      expect(one.text()).toBe("1\n2\n3\n4\n5\n");
    });

    if (lacks.has("pty")) lacksPtyContract(shared);
    else ptyContract(shared);
  });
}

function ptyContract(shared: () => Shared): void {
  it("has a pseudo-terminal of 30 by 120 when it wants one [30:4.8]", async () => {
    const one = await start(shared().terminal, '[ -t 0 ] && [ -t 1 ] && echo tty; stty size; read -r x; echo "<$x>"', {
      pty: true,
    });
    await one.says("30 120");
    await one.process.write("typed\r");
    await one.says("<typed>");
    expect(await one.process.exit).toBe(0);
    expect(one.text()).toContain("tty");
  });

  it("is ended under a pseudo-terminal as well", async () => {
    const { terminal } = shared();
    const one = await start(terminal, "echo up; sleep 70204", { pty: true });
    await one.says("up");
    await one.process.kill(1_000);
    await one.process.exit;
    await until(async () => (await sleepers(terminal, 70204)) === 0);
  });
}

function lacksPtyContract(shared: () => Shared): void {
  it("says plainly that it has no pseudo-terminals", async () => {
    await expect(start(shared().terminal, "true", { pty: true })).rejects.toThrow(/pseudo-terminal/);
  });
}
