import path from "node:path";

/** What the first shell of a terminal sources: the files the user named, else the start files of bash. */
export function initFilesOf(wish: {
  readonly home: string;
  readonly given: readonly string[];
  readonly auto: boolean;
}): readonly string[] {
  if (wish.given.length > 0) return wish.given.map((file) => expandHome(file, wish.home));
  if (!wish.auto) return [];
  return [".profile", ".bash_profile", ".bashrc"].map((name) => path.join(wish.home, name));
}

function expandHome(file: string, home: string): string {
  return file === "~" || file.startsWith("~/") ? path.join(home, file.slice(1)) : file;
}
