import type { TerminalOpener } from "#tools";
import type { Terminal, TerminalFiles } from "#tools/testing";

/** A machine somewhere else: it runs nothing, remembers what it was told to run, and keeps files in memory. */
export class FarMachine {
  /** Every command, with the session it came from. */
  readonly commands: { readonly sessionKey: string; readonly taskId: string; readonly command: string }[] = [];
  /** Tasks whose terminal is open now. */
  readonly open = new Set<string>();

  readonly opener: TerminalOpener = ({ taskId, scope }) => {
    this.open.add(taskId);
    const terminal: Terminal = {
      kind: "far",
      taskId,
      isPersistent: true,
      cwd: scope.terminal.cwd ?? "/far",
      home: "/far",
      tempDir: "/far/tmp",
      files: memoryFiles(),
      exec: (command) => {
        this.commands.push({ sessionKey: scope.key, taskId, command });
        const output = `far away: ${command}`;
        return Promise.resolve({ output, exitCode: 0, ended: "exited", omittedBytes: 0, durationMs: 1 });
      },
      spawn: () => Promise.reject(new Error("nothing runs in the background far away")),
      [Symbol.asyncDispose]: () => {
        this.open.delete(taskId);
        return Promise.resolve();
      },
    };
    return Promise.resolve(terminal);
  };
}

function memoryFiles(): TerminalFiles {
  const files = new Map<string, Uint8Array>();
  return {
    read: (path) => {
      const bytes = files.get(path);
      return bytes === undefined ? Promise.reject(new Error(`no ${path}`)) : Promise.resolve(bytes);
    },
    write: (path, data) => Promise.resolve(void files.set(path, data)),
    stat: (path) => {
      const size = files.get(path)?.length;
      return Promise.resolve(size === undefined ? undefined : { kind: "file", size, modifiedMs: 0, mode: 0o600 });
    },
    list: () => Promise.resolve([...files.keys()]),
    remove: (path) => Promise.resolve(void files.delete(path)),
    rename: (from, to) => Promise.resolve(void files.set(to, files.get(from) ?? new Uint8Array())),
    realPath: (path) => Promise.resolve(path),
  };
}
