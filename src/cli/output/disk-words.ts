import { systemErrorCode, UserError } from "#foundation/errors";

const diskWords: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  EACCES: ["You may not read or write", "Change its owner or mode, or point HERMES_HOME at a folder you own."],
  EPERM: ["You may not change", "Change its owner or mode, or point HERMES_HOME at a folder you own."],
  EROFS: ["This disk is read-only:", "Point HERMES_HOME at a writable folder."],
  ENOSPC: ["The disk is full. Could not write:", "Free some space and try again."],
  ENOENT: ["There is no file or folder", "Check the path."],
  ENOTDIR: ["This is a file, not a folder, on the way to", "Check the path."],
};

/** A folder that Hermes wanted to make for itself. */
const unmade: typeof diskWords = {
  ENOENT: ["Cannot create the folder", "Check the path; HERMES_HOME says where Hermes keeps its files."],
};

function isMaking(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).syscall === "mkdir";
}

/** What the disk refuses is no defect of the program: the error as a person can act on it; undefined for any other. */
export function refusedByDisk(error: unknown): UserError | undefined {
  const code = systemErrorCode(error) ?? "";
  const { path } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const [message, hint] = (isMaking(error) ? unmade[code] : undefined) ?? diskWords[code] ?? [];
  if (path === undefined || message === undefined || hint === undefined) return undefined;
  return new UserError(`${message} ${path}`, { code: code.toLowerCase(), hint });
}
