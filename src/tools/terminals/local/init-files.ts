import path from "node:path";

/** What the first shell of a terminal sources: the files the user named, else the start files of bash. */
export function initFilesOf(options: {
  readonly home: string;
  readonly files: readonly string[];
  readonly auto: boolean;
}): readonly string[] {
  if (options.files.length > 0) return options.files.map((file) => expandHome(file, options.home));
  if (!options.auto) return [];
  return [".profile", ".bash_profile", ".bashrc"].map((name) => path.join(options.home, name));
}

function expandHome(file: string, home: string): string {
  return file === "~" || file.startsWith("~/") ? path.join(home, file.slice(1)) : file;
}
