import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { questionWithImages } from "./images.ts";

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), "hermes-images-"));
  await writeFile(path.join(cwd, "cat.PNG"), "x");
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
});
