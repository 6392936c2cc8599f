import { open } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Content, imagePart, imageProblem, sentImageKind, textPart } from "#conversation";
import { describe } from "#foundation/errors";

const maxBytes = 20 * 1_048_576;

export interface ImageInput {
  readonly content: Content;
  /** Images that could not be taken along, and why. */
  readonly warnings: readonly string[];
}

/** A message with its images in it: files are read, data URLs and addresses passed on. */
export async function withImages(text: string, images: readonly string[], cwd: string): Promise<ImageInput> {
  if (images.length === 0) return { content: text, warnings: [] };
  const urls: string[] = [];
  const warnings: string[] = [];
  for (const image of images) {
    if (/^(data:image\/|https?:\/\/)/i.test(image)) urls.push(image);
    else {
      const read = await readImage(pathOf(image, cwd));
      if ("url" in read) urls.push(read.url);
      else warnings.push(`${image} is not attached: ${read.problem}.`);
    }
  }
  return { content: urls.length === 0 ? text : [textPart(text), ...urls.map(imagePart)], warnings };
}

/** A path as people give it: quoted, escaped, `~`, or a file address. */
export function pathOf(input: string, cwd: string): string {
  const bare = input.trim().replace(/^(["'])(.*)\1$/, "$2");
  if (bare.startsWith("file://")) return fileURLToPath(bare);
  const path = process.platform === "win32" ? bare : bare.replace(/\\(.)/g, "$1");
  if (path === "~" || path.startsWith("~/")) return resolve(homedir(), path.slice(2));
  return isAbsolute(path) ? path : resolve(cwd, path);
}

async function readImage(path: string): Promise<{ readonly url: string } | { readonly problem: string }> {
  try {
    const file = await open(path, "r");
    try {
      const { size } = await file.stat();
      if (size > maxBytes) return { problem: `it is larger than ${maxBytes / 1_048_576} MB` };
      const bytes = await file.readFile();
      const problem = imageProblem(bytes);
      return problem === undefined
        ? { url: `data:image/${sentImageKind(bytes)};base64,${bytes.toString("base64")}` }
        : { problem };
    } finally {
      await file.close();
    }
  } catch (error) {
    return { problem: describe(error) };
  }
}
