import fs from "node:fs";
import vm from "node:vm";

/** A script that was loaded through its cache, and what its cache knows. */
export interface CachedScript {
  /** What the script evaluates to. */
  readonly value: unknown;
  /** Says that this part of the script ran; a part that the cache does not hold makes a new cache when the process ends. */
  ran(part: number): void;
}

/**
 * Loads one script through V8's code cache. The cache is written when the process exits, so that it
 * also holds the functions this run compiled lazily, and again when a later run used parts of the
 * script that no run before had used; a cache made by another V8 or from another source is refused
 * by V8 and replaced. Nothing here may fail the program: without a cache it only starts slower.
 */
export function loadThroughCache(file: string): CachedScript {
  // The file is plain ASCII (the build sees to it), and reading it as such is several times faster.
  const source = fs.readFileSync(file, "latin1");
  const cacheFile = `${file}.${process.arch}-${process.versions.v8}.cache`;
  const cache = readCache(cacheFile);
  const script = new vm.Script(source, { filename: file, ...(cache === undefined ? {} : { cachedData: cache.code }) });
  const known = new Set(cache === undefined || script.cachedDataRejected === true ? [] : cache.parts);
  const held = known.size;
  process.once("exit", () => {
    if (known.size > held) writeQuietly(cacheFile, () => [script.createCachedData(), trailerOf(known)]);
  });
  return { value: script.runInThisContext(), ran: (part) => known.add(part) };
}

/** The parts that a cache holds are listed behind the code, one bit each, and their bytes counted in the last two. */
function trailerOf(parts: ReadonlySet<number>): Buffer {
  const bits = Buffer.alloc((Math.max(...parts) >> 3) + 1);
  for (const part of parts) bits[part >> 3] = (bits[part >> 3] ?? 0) | (1 << (part & 7));
  return Buffer.concat([bits, Buffer.of(bits.length & 255, bits.length >> 8)]);
}

function readCache(file: string): { readonly code: Buffer; readonly parts: readonly number[] } | undefined {
  const bytes = readIfPresent(file);
  if (bytes === undefined || bytes.length < 2) return undefined;
  const end = bytes.length - 2 - bytes.readUInt16LE(bytes.length - 2);
  if (end < 0) return undefined;
  const parts: number[] = [];
  for (let bit = 0; bit < (bytes.length - 2 - end) * 8; bit += 1) {
    if (((bytes[end + (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0) parts.push(bit);
  }
  return { code: bytes.subarray(0, end), parts };
}

function readIfPresent(file: string): Buffer | undefined {
  try {
    return fs.readFileSync(file);
  } catch {
    return undefined;
  }
}

/** A read-only installation is normal; it keeps starting without a cache. */
function writeQuietly(file: string, make: () => readonly Buffer[]): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    fs.writeFileSync(temporary, Buffer.concat(make()));
    fs.renameSync(temporary, file);
  } catch {
    fs.rmSync(temporary, { force: true });
  }
}
