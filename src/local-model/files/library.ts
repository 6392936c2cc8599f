import { constants } from "node:fs";
import { copyFile, link, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { systemErrorCode, UserError } from "#foundation/errors";
import { ensureDir, readTextFile, writeFileAtomic } from "#foundation/files/files";
import { isRecord, parseJson } from "#foundation/text/json";
import { type GgufFacts, readGguf } from "./gguf.ts";

/** A model file in the home that can be loaded. */
export interface LocalModelFile {
  readonly id: string;
  readonly path: string;
  readonly facts: GgufFacts;
}

/** Something in the folder that is called a model and is none. */
export interface BrokenModelFile {
  readonly id: string;
  readonly path: string;
  readonly fault: string;
}

const idPattern = /^[a-z0-9][a-z0-9._-]{0,99}$/;

/** The folder with the models of a home. A file counts once it has its name: whatever is not finished has another. */
export class ModelLibrary {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  async list(): Promise<{ readonly models: readonly LocalModelFile[]; readonly broken: readonly BrokenModelFile[] }> {
    const names = await readdir(this.folder).catch((error: unknown) => {
      if (systemErrorCode(error) === "ENOENT") return [];
      throw error;
    });
    const ids = names.filter((name) => name.endsWith(".gguf")).map((name) => name.slice(0, -".gguf".length));
    const read = await Promise.all(ids.sort().map((id) => this.#read(id)));
    return {
      models: read.flatMap((one) => ("facts" in one ? [one] : [])),
      broken: read.flatMap((one) => ("fault" in one ? [one] : [])),
    };
  }

  /** The model of this name; a {@link UserError} says what is wrong with it, or what there is instead. */
  async find(id: string): Promise<LocalModelFile> {
    const read = idPattern.test(id) ? await this.#read(id) : undefined;
    if (read !== undefined && "facts" in read) return read;
    if (read !== undefined && (await exists(read.path))) {
      throw new UserError(`${read.path} cannot be used: ${read.fault}.`, {
        code: "model_file_broken",
        hint: `Remove it with: hermes local remove ${id}`,
      });
    }
    const there = (await this.list()).models.map((model) => model.id);
    throw new UserError(`There is no model ${JSON.stringify(id)} on this machine.`, {
      code: "model_not_found",
      hint: there.length === 0 ? "Get one with: hermes local pull" : `There are: ${there.join(", ")}`,
    });
  }

  /** Takes a file in under a name; it shares the file's bytes where the disk allows. */
  async add(file: string, name?: string): Promise<LocalModelFile> {
    const source = path.resolve(file);
    const reading = await readGguf(source);
    if (reading.kind === "fault") {
      throw new UserError(`${source} cannot be used: ${reading.fault}.`, {
        code: "model_file_broken",
        hint: "Models for this engine are GGUF files with a language model.",
      });
    }
    const id = idFor(name ?? path.basename(source, ".gguf"));
    const target = this.pathOf(id);
    if (path.resolve(target) === source) return { id, path: target, facts: reading.facts };
    await ensureDir(this.folder, 0o700);
    const arriving = `${target}.part-${process.pid}`;
    try {
      await linkOrCopy(source, arriving);
      await rename(arriving, target);
    } finally {
      await rm(arriving, { force: true });
    }
    return { id, path: target, facts: reading.facts };
  }

  async remove(id: string): Promise<void> {
    const target = idPattern.test(id) ? this.pathOf(id) : undefined;
    if (target === undefined || !(await exists(target))) await this.find(id);
    if (target !== undefined) for (const file of [target, `${target}.json`]) await rm(file, { force: true });
  }

  pathOf(id: string): string {
    return path.join(this.folder, `${id}.gguf`);
  }

  /** The head of a large file takes a tenth of a second to read, so what it says is kept beside it. */
  async #read(id: string): Promise<LocalModelFile | BrokenModelFile> {
    const file = this.pathOf(id);
    const at = await stat(file).catch(() => undefined);
    const stamp = at === undefined ? "" : `${at.size} ${at.mtimeMs}`;
    const kept = at === undefined ? undefined : await keptFacts(`${file}.json`, stamp);
    if (kept !== undefined) return { id, path: file, facts: kept };
    const reading = await readGguf(file);
    if (reading.kind === "fault") return { id, path: file, fault: reading.fault };
    await writeFileAtomic(`${file}.json`, JSON.stringify({ stamp, facts: reading.facts }), { mode: 0o600 });
    return { id, path: file, facts: reading.facts };
  }
}

async function keptFacts(file: string, stamp: string): Promise<GgufFacts | undefined> {
  const text = await readTextFile(file, { maxBytes: 1_000_000 });
  const parsed = text === undefined ? undefined : parseJson(text);
  if (parsed?.ok !== true || !isRecord(parsed.value) || parsed.value["stamp"] !== stamp) return undefined;
  const { facts } = parsed.value;
  if (!isRecord(facts)) return undefined;
  const { architecture, contextLength, bytesPerToken, sizeBytes, name, license, chatTemplate } = facts;
  if (typeof architecture !== "string" || typeof contextLength !== "number") return undefined;
  if (typeof bytesPerToken !== "number" || typeof sizeBytes !== "number") return undefined;
  const text_ = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  return {
    architecture,
    contextLength,
    bytesPerToken,
    sizeBytes,
    name: text_(name),
    license: text_(license),
    chatTemplate: text_(chatTemplate),
  };
}

/** `SmolLM2-135M-Instruct.Q4_1` becomes `smollm2-135m-instruct.q4_1`: a name that can be typed and holds no colon. */
export function idFor(name: string): string {
  const id = name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+|-+$/g, "")
    .slice(0, 100);
  if (idPattern.test(id)) return id;
  throw new UserError(`${JSON.stringify(name)} gives no usable name for a model.`, {
    hint: "Name one with: --name <name>",
  });
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  }
}

async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined;
}
