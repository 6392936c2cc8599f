import { isStoreDamaged } from "#store";

/** What to say when the store failed. A damaged file has a remedy, but not while it is open. */
export function storeDamage(error: unknown): string | undefined {
  return isStoreDamaged(error)
    ? "The session database is damaged, so nothing can be saved. Quit Hermes, then run: hermes sessions fsck --repair"
    : undefined;
}
