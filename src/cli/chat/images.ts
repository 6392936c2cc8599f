import { stat } from "node:fs/promises";
import path from "node:path";
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
  const named = await Promise.all(images.map((image) => checked(image, cwd)));
  const [first = "", ...rest] = text.split(/(?<=^\S+)\s+/);
  if (!imageName.test(first) || !(await isFile(path.resolve(cwd, first)))) return { text, images: named };
  return { text: rest.join(" "), images: [...named, path.resolve(cwd, first)] };
}

async function checked(image: string, cwd: string): Promise<string> {
  if (address.test(image)) return image;
  const file = path.resolve(cwd, image);
  if (!imageName.test(file)) {
    throw new UserError(`${image} is no image by its name.`, {
      hint: "Images end in png, jpg, jpeg, gif, webp, bmp, tiff, tif, svg or ico.",
      exitCode: exitCodes.failed,
    });
  }
  if (await isFile(file)) return file;
  throw new UserError(`There is no image ${image}.`, { hint: `Looked for ${file}`, exitCode: exitCodes.failed });
}

async function isFile(file: string): Promise<boolean> {
  return await stat(file).then(
    (entry) => entry.isFile(),
    () => false,
  );
}
