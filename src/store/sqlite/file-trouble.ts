import { UserError } from "#foundation/errors";

/** The disk is full: for a person who can make room. */
export function noSpaceLeft(path: string, cause: unknown): UserError {
  return new UserError(`There is no space left for the session database ${path}.`, {
    hint: "Free some disk space and start again.",
    code: "store_disk_full",
    cause,
  });
}

/** The file is damaged: for a person who can have it rebuilt. SQLite's own words add nothing to that. */
export function damagedStore(path: string): UserError {
  return new UserError(`The session database ${path} is damaged or is not a database.`, {
    hint: "Rebuild it from what can be read, and keep the old one: hermes sessions fsck --repair",
    code: "store_damaged",
  });
}
