import path from "node:path";
import { pathToFileURL } from "node:url";
import { type CachedScript, loadThroughCache } from "./code-cache.ts";

/**
 * Runs the parts of the built program. The build (`scripts/lib/parts.mjs`) cuts the program into parts and puts
 * them into a few files by when they are needed; a file is read when its first part is asked for, and a part
 * runs once, when it is first asked for. Packages are required with the given function.
 */
export function openParts(folder: string, require: NodeJS.Require): (file: string, index: number) => unknown {
  const home = path.join(folder, "program.js");
  const address = pathToFileURL(home).href;
  const files = new Map<string, OpenFile>();
  const open = (name: string): OpenFile => {
    const script = loadThroughCache(path.join(folder, `${name}.js`));
    const make = script.value as (...names: unknown[]) => readonly (() => unknown)[];
    const file = { script, parts: make(part, require, defaultOf, namespaceOf, address), results: [] };
    files.set(name, file);
    return file;
  };
  const part = (name: string, index: number): unknown => {
    const { script, parts, results } = files.get(name) ?? open(name);
    if (index in results) return results[index];
    script.ran(index);
    const result = parts[index]?.();
    results[index] = result;
    return result;
  };
  return part;
}

interface OpenFile {
  readonly script: CachedScript;
  readonly parts: readonly (() => unknown)[];
  readonly results: unknown[];
}

type Loaded = Record<PropertyKey, unknown>;

/** What `import x from` means for a module that was required: an ES module has a default, a CommonJS module is one. */
function defaultOf(loaded: Loaded): unknown {
  return isNamespace(loaded) ? loaded["default"] : loaded;
}

/** What `import * as x from` and `import()` mean for a module that was required. */
function namespaceOf(loaded: Loaded): Loaded {
  return isNamespace(loaded) ? loaded : Object.create(loaded, { default: { value: loaded, enumerable: true } });
}

function isNamespace(loaded: Loaded): boolean {
  return loaded[Symbol.toStringTag] === "Module";
}
