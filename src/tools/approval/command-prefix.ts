import { readCommandLine } from "../shell/read-line.ts";

/** One simple command whose first words are the given ones; anything chained or substituted does not count. */
export function beginsWith(command: string, prefix: string): boolean {
  const location = { cwd: undefined, home: "~" };
  const [only, ...more] = readCommandLine(command, location).commands;
  const [wanted] = readCommandLine(prefix, location).commands;
  if (only === undefined || wanted === undefined || more.length > 0 || only.name !== wanted.name) return false;
  if (only.writes.length > 0 || only.upstream.length > 0 || only.args.some((arg) => !arg.isKnown)) return false;
  return wanted.args.length > 0 && wanted.args.every((arg, index) => only.args[index]?.text === arg.text);
}
