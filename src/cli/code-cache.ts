import fs from "node:fs";
import Module from "node:module";
import path from "node:path";
import vm from "node:vm";

/**
 * Loads one CommonJS file through V8's code cache. The cache is written when the process exits, so
 * that it also holds the functions this run compiled lazily; a cache made by another V8 or from
 * another source is refused by V8 and replaced. Nothing here may fail the program: without a cache
 * it only starts slower.
 */
export function loadThroughCache(file: string): unknown {
  // The bundle is plain ASCII (the build sees to it), and reading it as such is several times faster.
  const source = fs.readFileSync(file, "latin1");
  const cacheFile = `${file}.${process.arch}-${process.versions.v8}.cache`;
  const cachedData = readIfPresent(cacheFile);
  const script = new vm.Script(Module.wrap(source), {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  if (cachedData === undefined || script.cachedDataRejected === true) {
    process.once("exit", () => writeQuietly(cacheFile, () => script.createCachedData()));
  }
  const module = { exports: {} };
  const wrapper = script.runInThisContext() as (...parts: unknown[]) => void;
  wrapper.call(module.exports, module.exports, Module.createRequire(file), module, file, path.dirname(file));
  return module.exports;
}

function readIfPresent(file: string): Buffer | undefined {
  try {
    return fs.readFileSync(file);
  } catch {
    return undefined;
  }
}

/** A read-only installation is normal; it keeps starting without a cache. */
function writeQuietly(file: string, make: () => Buffer): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    fs.writeFileSync(temporary, make());
    fs.renameSync(temporary, file);
  } catch {
    fs.rmSync(temporary, { force: true });
  }
}
