import type { WallLine } from "../../confinement/self-test/self-test.ts";
import type { WallProbe } from "../../confinement/self-test/wall-probe.ts";

/** Calls a tool as the model does, with nobody there to answer questions. */
export type Caller = (tool: string, args: Readonly<Record<string, unknown>>) => Promise<string>;

interface UnheldDoor {
  readonly name: string;
  enter(command: string, call: Caller): Promise<string>;
}

const doors: readonly UnheldDoor[] = [
  { name: "a command", enter: (command, call) => call("terminal", { command }) },
  { name: "a background process", enter: (command, call) => call("terminal", { command, background: true }) },
  { name: "a pseudo-terminal", enter: (command, call) => call("terminal", { command, background: true, pty: true }) },
  {
    name: "a script of execute_code",
    enter(command, call) {
      const code = `import { spawnSync } from "node:child_process";\nconsole.log(spawnSync("/bin/sh", ["-c", ${JSON.stringify(command)}], { encoding: "utf8" }).stdout);`;
      return call("execute_code", { code, language: "javascript" });
    },
  },
];

/**
 * Where nothing holds programs, whatever a sandbox would hold is asked about; nobody is there, so it is refused. Tried with plain words that
 * nothing but the missing sandbox speaks against.
 */
export async function tryUnheldDoors(probe: WallProbe, call: Caller): Promise<readonly WallLine[]> {
  const lines: WallLine[] = [];
  for (const door of doors) {
    const answers: string[] = [];
    for (const command of probe.plainAttempts()) answers.push(await door.enter(command, call));
    lines.push(probe.refusalLine(door.name, answers));
  }
  return lines;
}
