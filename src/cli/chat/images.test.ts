import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { questionWithImages } from "./images.ts";

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), "hermes-images-"));
  await writeFile(path.join(cwd, "cat.PNG"), Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1"));
  await writeFile(path.join(cwd, "old.bmp"), "BM0000000000");
  await writeFile(path.join(cwd, "fake.png"), "no image at all");
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

describe("images of a question", () => {
  it("are taken from the flags and made absolute [20:R8.12]", async () => {
    const images = ["cat.PNG", "https://example.invalid/a", "data:image/png;base64,eA=="];
    expect(await questionWithImages("what?", { images, cwd })).toEqual({
      text: "what?",
      images: [path.join(cwd, "cat.PNG"), "https://example.invalid/a", "data:image/png;base64,eA=="],
    });
  });

  it("are taken from the beginning of the question, when there is such a file [20:R8.12]", async () => {
    expect(await questionWithImages("cat.PNG what  is it?", { images: [], cwd })).toEqual({
      text: "what  is it?",
      images: [path.join(cwd, "cat.PNG")],
    });
    for (const text of ["dog.png what is it?", "what is cat.PNG?", ""])
      expect(await questionWithImages(text, { images: [], cwd })).toEqual({ text, images: [] });
  });

  it("that are missing or no images are refused with 1 [20:R8.12]", async () => {
    for (const image of ["dog.png", "cat.txt", "."])
      await expect(questionWithImages("x", { images: [image], cwd })).rejects.toMatchObject({ exitCode: 1 });
  });

  it("that no model takes are refused by what they are, not dropped on the way [20:R8.12]", async () => {
    const refused = { exitCode: 1, message: expect.stringContaining("it is a BMP image; models take PNG") };
    await expect(questionWithImages("x", { images: ["old.bmp"], cwd })).rejects.toMatchObject(refused);
    await expect(questionWithImages("old.bmp what is it?", { images: [], cwd })).rejects.toMatchObject(refused);
    await expect(questionWithImages("x", { images: ["fake.png"], cwd })).rejects.toMatchObject({
      message: expect.stringContaining("it is not a PNG, JPEG, GIF or WebP image"),
    });
  });
});
