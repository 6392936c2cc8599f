import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { defined } from "#foundation/defined";
import type { CommandIo, Flag, FlagValue, GlobalFlags } from "./command.ts";
import { usageError } from "./usage-error.ts";

/** Options that every command takes, wherever they stand in the line. */
export const globalFlags: readonly Flag[] = [
  { name: "help", short: "h", kind: "switch", about: "Show help for the command and exit" },
  { name: "version", short: "V", kind: "switch", about: "Show the version and exit" },
  {
    name: "profile",
    short: "p",
    kind: "text",
    value: "<name>",
    about: "Use this profile",
    completes: "profile",
  },
  { name: "json", kind: "switch", about: "Print one JSON document instead of text" },
  { name: "no-color", kind: "switch", about: "Print without colours (also: NO_COLOR)" },
  { name: "config", kind: "text", value: "<file>", about: "Read settings from this file", completes: "file" },
  { name: "cwd", kind: "text", value: "<dir>", about: "Work in this folder", completes: "file" },
  { name: "trust-folder", kind: "switch", about: "Trust this folder's own files for this run" },
  { name: "ignore-user-config", kind: "switch", about: "Start from the default settings; .env still counts" },
];

/** The global options of one invocation. */
export function readGlobalFlags(flags: Readonly<Record<string, FlagValue>>, io: CommandIo): GlobalFlags {
  const profile = flagText(flags, "profile");
  const configFile = flagText(flags, "config");
  if (configFile !== undefined && !existsSync(path.resolve(io.cwd, configFile)))
    throw usageError(
      `There is no file ${path.resolve(io.cwd, configFile)}.`,
      "--config must name an existing settings file.",
    );
  return {
    ...defined({ profile }),
    ...(configFile === undefined ? {} : { configFile: path.resolve(io.cwd, configFile) }),
    isJson: flags["json"] === true,
    hasColor: io.stdout.isTTY === true && (io.env["NO_COLOR"] ?? "") === "" && flags["no-color"] !== true,
    ...(flags["ignore-user-config"] === true ? { ignoresUserConfig: true } : {}),
    trustsFolder: flags["trust-folder"] === true,
  };
}

/** The folder the command works in. */
export function workingFolder(flags: Readonly<Record<string, FlagValue>>, io: CommandIo): string {
  const cwd = flagText(flags, "cwd");
  if (cwd === undefined) return io.cwd;
  const folder = path.resolve(io.cwd, cwd);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw usageError(`There is no folder ${folder}.`, "--cwd must name an existing folder.");
}

function flagText(flags: Readonly<Record<string, FlagValue>>, name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
}
