import { open } from "node:fs/promises";
import path from "node:path";
import { imageProblem } from "#conversation";
import { UserError } from "#foundation/errors";
import { exitCodes } from "../command.ts";

const imageName = /\.(?:png|jpe?g|gif|webp|bmp|tiff?|svg|ico)$/i;
const address = /^(?:data:image\/|https?:\/\/)/i;

export interface Question {
  readonly text: string;
  readonly images: readonly string[];
}

/** The question with its images: those named by flags must be there; a path at its beginning is one more. */
export async function questionWithImages(
  text: string,
  { images, cwd }: { readonly images: readonly string[]; readonly cwd: string },
): Promise<Question> {
  const named = await Promise.all(images.map((image) => checkedImage(image, cwd)));
  const [first = "", ...rest] = text.split(/(?<=^\S+)\s+/);
  if (!imageName.test(first) || (await problemOf(path.resolve(cwd, first))) === "missing")
    return { text, images: named };
  return { text: rest.join(" "), images: [...named, await checkedImage(first, cwd)] };
}

/** An image as it is handed on: an address as it is, a file by its full path. What cannot be sent is refused here. */
export async function checkedImage(image: string, cwd: string): Promise<string> {
  if (address.test(image)) return image;
  const file = path.resolve(cwd, image);
  if (!imageName.test(file)) {
    throw new UserError(`${image} does not have the name of an image.`, {
      hint: "Images end in png, jpg, jpeg, gif or webp.",
      exitCode: exitCodes.failed,
    });
  }
  const problem = await problemOf(file);
  if (problem === "missing")
    throw new UserError(`There is no image ${image}.`, { hint: `Looked for ${file}`, exitCode: exitCodes.failed });
  if (problem === undefined) return file;
  throw new UserError(`${image} cannot be attached: ${problem}.`, {
    hint: "For example: magick drawing.svg drawing.png",
    exitCode: exitCodes.failed,
  });
}

/** Why a file cannot be sent as an image; undefined when it can. */
async function problemOf(file: string): Promise<string | undefined> {
  const handle = await open(file, "r").catch(() => undefined);
  if (handle === undefined) return "missing";
  await using opened = handle;
  if (!(await opened.stat()).isFile()) return "missing";
  const head = Buffer.alloc(512);
  const { bytesRead } = await opened.read(head, 0, head.length, 0);
  return imageProblem(head.subarray(0, bytesRead));
}
