import path from "node:path";

/** A path of the settings: `~` is the user's home, and a relative one is meant from the given folder. */
export function absolutePath(written: string, from: string, userHome: string): string {
  const trimmed = written.trim();
  if (trimmed === "~" || trimmed.startsWith("~/")) return path.join(userHome, trimmed.slice(1));
  return path.resolve(from, trimmed);
}
