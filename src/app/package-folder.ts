import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** A folder that is shipped beside the program, from a checkout and from an installed package alike. */
export function packageFolder(name: string): string | undefined {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  for (;;) {
    if (isPackageRoot(folder)) return path.join(folder, name);
    const above = path.dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
}

/** The built files have a package.json of their own, without a name. */
function isPackageRoot(folder: string): boolean {
  try {
    return /"name":\s*"hermes-ts"/.test(readFileSync(path.join(folder, "package.json"), "utf8"));
  } catch {
    return false;
  }
}
