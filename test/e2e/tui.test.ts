import path from "node:path";
import { type IPty, spawn } from "@lydell/node-pty";
import { afterEach, describe, expect, it } from "vitest";
import { TerminalScreen } from "../fakes/terminal-screen.ts";

const root = path.join(import.meta.dirname, "..", "..");
const program = path.join(import.meta.dirname, "tui-program.ts");
let running: IPty | undefined;

afterEach(() => {
  running?.kill("SIGKILL");
  running = undefined;
});

/** The UI in a real pseudo-terminal, its output drawn by a terminal emulator. */
function open() {
  const screen = new TerminalScreen({ columns: 90, rows: 30 });
  const child = spawn(process.execPath, ["--conditions=hermes-source", "--import", "tsx", program], {
    cols: 90,
    rows: 30,
    cwd: root,
    env: { ...process.env, TERM: "xterm-256color" },
  });
  running = child;
  const exited = new Promise<number>((resolve) =>
    child.onExit(({ exitCode }) => {
      running = undefined;
      resolve(exitCode);
    }),
  );
  const waiting: (() => void)[] = [];
  child.onData((data) => {
    screen.write(data);
    for (const wake of waiting.splice(0)) wake();
  });
  const shows = async (part: string): Promise<string> => {
    for (;;) {
      await screen.settled();
      const text = screen.all().join("\n");
      if (text.includes(part)) return text;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  return { screen, child, exited, shows };
}

describe("the terminal UI in a real terminal", () => {
  it("draws, takes keys, answers, and gives the terminal back [20:R10.1] [20:R10.18] [20:R10.40]", async () => {
    const { screen, child, exited, shows } = open();
    await shows("12.4K/200K");
    child.write("hello tty");
    await shows("❯ hello tty");
    child.write("\r");
    const text = await shows("You said hello tty.");
    expect(text).toContain("● hello tty");
    child.resize(60, 30);
    screen.resize(60, 30);
    child.write("narrow");
    await shows("❯ narrow");
    child.write("\x15");
    child.write("\x04");
    expect(await exited).toBe(0);
    await shows("Until next time.");
    const written = screen.writes.join("");
    expect(written).toContain("\x1b[?2004h");
    expect(written.lastIndexOf("\x1b[?2004l")).toBeGreaterThan(written.lastIndexOf("\x1b[?2004h"));
    expect(written).not.toContain("\x1b[?1049h");
  });

  it("leaves on a second Ctrl-C when nothing runs and nothing is typed [20:R10.19]", async () => {
    const { child, exited, shows } = open();
    await shows("12.4K/200K");
    child.write("\x03");
    await shows("press Ctrl-C again to quit");
    child.write("\x03");
    expect(await exited).toBe(0);
  });
});
