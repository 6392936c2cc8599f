import { readCommandLine } from "../../shell/read-line.ts";

const noMatch = { 1: "Nothing matched; this is not an error." };
const differ = { 1: "The files differ; this is what a comparison reports, not an error." };
const isFalse = { 1: "The condition is false." };

const meanings: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  grep: noMatch,
  egrep: noMatch,
  fgrep: noMatch,
  rg: noMatch,
  ag: noMatch,
  ack: noMatch,
  diff: differ,
  colordiff: differ,
  find: { 1: "Some folders could not be read; what was found may still be right." },
  test: isFalse,
  "[": isFalse,
  curl: {
    6: "The host name was not found.",
    7: "No connection to the host.",
    22: "The server answered with an error status.",
    28: "The request timed out.",
  },
  git: { 1: "Often normal for git, for example a diff that shows changes." },
};

/** What a non-zero code says when it is not simply a failure; of the last command that ran. */
export function exitCodeMeaning(command: string, exitCode: number): string | undefined {
  if (exitCode === 0) return undefined;
  const { commands } = readCommandLine(command, { cwd: "/", home: "/" });
  const last = commands.filter((one) => !one.wrappers.includes("substitution")).at(-1);
  return meanings[last?.name ?? ""]?.[exitCode];
}
