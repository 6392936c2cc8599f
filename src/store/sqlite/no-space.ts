import { UserError } from "#foundation/errors";

/** The disk is full: for a person who can make room. */
export function noSpaceLeft(path: string, cause: unknown): UserError {
  return new UserError(`There is no space left for the session database ${path}.`, {
    hint: "Free some disk space and start again.",
    code: "store_disk_full",
    cause,
  });
}
