import path from "node:path";
import { defined } from "#foundation/defined";
import { LineReader } from "./reading/reader.ts";
import type { Value } from "./reading/state.ts";
import { type CommandLine, unknownName, unknownNumber } from "./simple-command.ts";

/** Where and for whom a command line would run. */
export interface LineLocation {
  readonly cwd: string | undefined;
  readonly home: string;
  readonly hermesHome?: string | undefined;
  readonly tempDirs?: readonly string[] | undefined;
  /** The directory the task works in. */
  readonly workspace?: string | undefined;
  /** The text of a file that this session wrote, by its absolute path. */
  readWritten?: ((path: string) => string | undefined) | undefined;
}

/** Reads a command line into the commands it would run, without running anything. */
export function readCommandLine(text: string, location: LineLocation): CommandLine {
  const tempDir = location.tempDirs?.[0] ?? "/tmp";
  const reader = new LineReader({
    cwd: location.cwd,
    home: location.home,
    tempDir,
    standing: [location.home, ...(location.workspace === undefined ? [] : [location.workspace])],
    environment: environmentOf(location, tempDir),
    ...defined({ readWritten: location.readWritten }),
  });
  return reader.readLine(text);
}

/** Variables every shell has, as far as their values can be known. */
function environmentOf(location: LineLocation, tempDir: string): ReadonlyMap<string, readonly Value[]> {
  const known: [string, string][] = [
    ["HOME", location.home],
    ["IFS", " \t\n"],
    ["TMPDIR", tempDir],
    ["SHELL", "/bin/bash"],
    ["BASH", "/bin/bash"],
    ["HERMES_HOME", location.hermesHome ?? path.posix.join(location.home, ".hermes")],
  ];
  const names = ["USER", "LOGNAME", "HOSTNAME", "HOSTTYPE", "OSTYPE", "BASH_VERSION"];
  const numbers = [
    "RANDOM",
    "SECONDS",
    "PPID",
    "UID",
    "EUID",
    "BASHPID",
    "LINENO",
    "COLUMNS",
    "LINES",
    "EPOCHSECONDS",
    "SRANDOM",
  ];
  if (location.cwd !== undefined) known.push(["PWD", location.cwd]);
  return new Map([
    ...known.map(([name, value]) => [name, [value]] as const),
    ...names.map((name) => [name, [unknownName]] as const),
    ...numbers.map((name) => [name, [unknownNumber]] as const),
  ]);
}

/** Absolute and without `.`, `..` and doubled slashes. */
export function absolute(text: string, cwd: string, home: string): string {
  const named = /^~([\w.-]*)(?=\/|$)/.exec(text);
  const isHome = named !== null && (named[1] === "" || named[1] === path.posix.basename(home));
  const expanded = isHome ? `${home}${text.slice(named[0].length)}` : text;
  return path.posix.resolve(cwd, expanded);
}
