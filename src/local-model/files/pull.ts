import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, rename, rm, stat, statfs } from "node:fs/promises";
import path from "node:path";
import { UserError } from "#foundation/errors";
import { ensureDir, withFileLock } from "#foundation/files/files";
import { HttpBodyError, httpRequest } from "#foundation/http/request";
import { byteSize } from "#foundation/text/figures";
import type { CatalogueModel } from "./catalogue.ts";
import { readGguf } from "./gguf.ts";
import type { LocalModelFile, ModelLibrary } from "./library.ts";

export interface PullOptions {
  /** Fetched from there instead of from the address in the catalogue. */
  readonly mirror?: string | undefined;
  readonly signal: AbortSignal;
  onProgress(receivedBytes: number, totalBytes: number): void;
}

/** Left free for everything else that needs the disk meanwhile. */
const spareBytes = 200_000_000;
const silenceMs = 60_000;

/**
 * Fetches a model into the library. What arrived before an interruption is kept and continued; the file gets its name
 * only when its hash is the one in the catalogue.
 */
export async function pullModel(
  model: CatalogueModel,
  library: ModelLibrary,
  options: PullOptions,
): Promise<LocalModelFile> {
  await ensureDir(library.folder, 0o700);
  const target = library.pathOf(model.id);
  const part = `${target}.part`;
  await withFileLock(
    `${part}.lock`,
    async () => {
      if ((await sizeOf(target)) === model.sizeBytes) return;
      await checkDisk(library.folder, model, (await sizeOf(part)) ?? 0);
      const hash = await fetchRest(model, part, options);
      if (hash !== model.sha256) {
        await rm(part, { force: true });
        throw broken(model, "its checksum is not the one in the catalogue");
      }
      const reading = await readGguf(part);
      if (reading.kind === "fault") throw broken(model, reading.fault);
      await rename(part, target);
    },
    { signal: options.signal, timeoutMs: 2_000 },
  );
  return library.find(model.id);
}

/** Downloads what is missing; the hash of the whole file. */
async function fetchRest(model: CatalogueModel, part: string, options: PullOptions): Promise<string> {
  const have = (await sizeOf(part)) ?? 0;
  if (have > model.sizeBytes) await rm(part, { force: true });
  const start = have > model.sizeBytes ? 0 : have;
  const hash = createHash("sha256");
  if (start > 0) await hashFile(part, hash, options.signal);
  options.onProgress(start, model.sizeBytes);
  if (start === model.sizeBytes) return hash.digest("hex");
  const url = new URL(
    options.mirror === undefined || options.mirror === ""
      ? model.url
      : `${options.mirror.replace(/\/+$/, "")}/${model.file}`,
  );
  const { response, isWhole } = await request(url, { start, model, signal: options.signal });
  await using _body = response;
  // A server that knows nothing of ranges sends everything again.
  const fresh = isWhole ? createHash("sha256") : hash;
  const file = await open(part, isWhole ? "w" : "a", 0o600);
  try {
    await receive(response.body, { file, hash: fresh, model, options, start: isWhole ? 0 : start });
  } finally {
    await file.close();
  }
  return fresh.digest("hex");
}

type Response = Extract<Awaited<ReturnType<typeof httpRequest>>, { readonly kind: "response" }>;

interface Receiving {
  readonly file: FileHandle;
  readonly hash: Hash;
  readonly model: CatalogueModel;
  readonly options: PullOptions;
  readonly start: number;
}

async function receive(body: Response["body"], { file, hash, model, options, start }: Receiving): Promise<void> {
  let received = start;
  try {
    for await (const bytes of body) {
      options.signal.throwIfAborted();
      await file.writeFile(bytes);
      hash.update(bytes);
      received += bytes.length;
      options.onProgress(received, model.sizeBytes);
    }
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof HttpBodyError) throw interrupted(model, error.message, error);
    throw error;
  }
  if (received < model.sizeBytes) throw interrupted(model, "the connection ended early");
}

interface Range {
  readonly start: number;
  readonly model: CatalogueModel;
  readonly signal: AbortSignal;
}

/** Hosts of models hand out another address for the file itself; there is no credential that could leak on the way. */
async function request(
  url: URL,
  { start, model, signal }: Range,
): Promise<{ readonly response: Response; readonly isWhole: boolean }> {
  let at = url;
  for (let hop = 0; hop < 6; hop += 1) {
    const response = await httpRequest(at, {
      headers: start > 0 ? { range: `bytes=${start}-` } : {},
      signal,
      timeoutMs: silenceMs,
      maxBodyBytes: model.sizeBytes,
    });
    signal.throwIfAborted();
    if (response.kind === "failure") throw unreachable(at, response.failure.message);
    const next = response.headers["location"];
    if (response.status >= 300 && response.status < 400 && next !== undefined) {
      await response.discard();
      const to = new URL(next, at);
      if (at.protocol === "https:" && to.protocol !== "https:")
        throw unreachable(at, "it points to an address without encryption");
      at = to;
      continue;
    }
    if (response.status === 206 || response.status === 200) return { response, isWhole: response.status === 200 };
    await response.discard();
    throw unreachable(at, `it answers with status ${response.status}`);
  }
  throw unreachable(url, "it points from address to address");
}

async function hashFile(file: string, hash: Hash, signal: AbortSignal): Promise<void> {
  for await (const bytes of createReadStream(file, { highWaterMark: 1 << 20, signal })) hash.update(bytes as Buffer);
}

async function checkDisk(folder: string, model: CatalogueModel, haveBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const needed = model.sizeBytes - haveBytes + spareBytes;
  if (bavail * bsize >= needed) return;
  throw new UserError(
    `${model.label} needs ${byteSize(needed)} on the disk of ${folder}, and ${byteSize(bavail * bsize)} are free.`,
    {
      code: "disk_full",
      hint: "Make room, or choose a smaller model with: hermes local list",
    },
  );
}

async function sizeOf(file: string): Promise<number | undefined> {
  return (await stat(file).catch(() => undefined))?.size;
}

function broken({ label }: CatalogueModel, reason: string): UserError {
  return new UserError(`What was fetched as ${label} is not it: ${reason}.`, {
    code: "model_file_broken",
    hint: "It was not kept. Try again, from another mirror if it stays so: hermes config set local.mirror <address>",
  });
}

function interrupted({ id, label }: CatalogueModel, reason: string, cause?: unknown): UserError {
  return new UserError(`The download of ${label} was interrupted: ${reason}.`, {
    code: "download_interrupted",
    hint: `The partial download is kept. Resume with: hermes local pull ${id}`,
    cause,
  });
}

function unreachable(url: URL, reason: string): UserError {
  return new UserError(`${path.posix.basename(url.pathname)} cannot be fetched from ${url.host}: ${reason}.`, {
    code: "download_failed",
    hint: "Name another place with: hermes config set local.mirror <address>",
  });
}
