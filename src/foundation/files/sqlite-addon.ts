import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const packageName = "@photostructure/sqlite";

/**
 * The native library of the SQLite package, without the package around it: finding the library its way takes ten times
 * as long as loading it, on every start. Undefined where the library does not lie as it was published (compiled here, another
 * C library, an unusual installation, one that cannot be loaded); the package then finds it itself.
 */
export function loadSqliteAddon(from: string | undefined = import.meta.url): unknown {
  // A bundle that others made of us may not know where it lies.
  if (from === undefined || existsSync("/etc/alpine-release") || process.env["PREBUILDS_ONLY"] !== undefined)
    return undefined;
  const folder = packageFolder(path.dirname(fileURLToPath(from)));
  if (folder === undefined || existsSync(path.join(folder, "build"))) return undefined;
  const name = `${packageName.replace("/", "+")}.glibc.node`;
  const module = { exports: {} };
  try {
    process.dlopen(module, path.join(folder, "prebuilds", `${process.platform}-${process.arch}`, name));
    return module.exports;
  } catch {
    return undefined;
  }
}

/** Where a package lies, as `require` from this folder would find it. */
function packageFolder(start: string): string | undefined {
  for (let folder = start; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, "node_modules", packageName);
    if (existsSync(candidate)) return candidate;
    if (folder === path.dirname(folder)) return undefined;
  }
}
