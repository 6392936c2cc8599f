import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tinyGguf } from "../testing.ts";
import { readGguf } from "./gguf.ts";
import { idFor, ModelLibrary } from "./library.ts";

describe("the models of a home", () => {
  let folder = "";
  const at = (name: string): string => path.join(folder, name);
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "hermes-models-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("reads window and memory per token from the head of a file", async () => {
    await writeFile(at("a.gguf"), tinyGguf({ "general.name": "Tiny", "general.license": "mit" }));
    expect(await readGguf(at("a.gguf"))).toMatchObject({
      kind: "model",
      facts: {
        architecture: "llama",
        name: "Tiny",
        license: "mit",
        contextLength: 2048,
        bytesPerToken: 2 * 2 * 32 * 2,
      },
    });
  });

  it.each([
    ["no file", undefined, "there is no such file"],
    ["another kind of file", Buffer.from("%PDF-1.7 and a good deal of other text"), "it is not a GGUF file"],
    ["an empty file", Buffer.alloc(0), "it is not a GGUF file"],
    ["a file that ends within its head", tinyGguf().subarray(0, 100), "it is cut off within its head"],
    ["a file that ends within its tensors", tinyGguf().subarray(0, -1), "it is cut off"],
    ["a model of another kind", tinyGguf({ "general.type": "adapter" }), "it holds no language model (adapter)"],
  ])("names %s as what it is", async (_, bytes, fault) => {
    if (bytes !== undefined) await writeFile(at("x.gguf"), bytes);
    expect(await readGguf(at("x.gguf"))).toEqual({ kind: "fault", fault: expect.stringContaining(fault) });
  });

  it("takes a file in under a name, lists it and deletes it", async () => {
    await writeFile(at("My Model.Q4_1.gguf"), tinyGguf());
    const library = new ModelLibrary(at("models"));
    expect(await library.list()).toEqual({ models: [], broken: [] });
    expect((await library.add(at("My Model.Q4_1.gguf"))).id).toBe("my-model.q4_1");
    expect((await library.list()).models.map(({ id }) => id)).toEqual(["my-model.q4_1"]);
    expect((await library.find("my-model.q4_1")).facts.contextLength).toBe(2048);
    await library.remove("my-model.q4_1");
    expect(await readdir(at("models"))).toEqual([]);
  });

  it("refuses a broken file before anything of it is kept", async () => {
    await writeFile(at("cut.gguf"), tinyGguf().subarray(0, -1));
    const library = new ModelLibrary(at("models"));
    await expect(library.add(at("cut.gguf"))).rejects.toThrow(/cannot be used: it is cut off: \d+ bytes of \d+/);
    expect((await library.list()).models).toEqual([]);
  });

  it("does not offer a broken file that somebody put there, and says what is wrong with it", async () => {
    const library = new ModelLibrary(folder);
    await writeFile(at("good.gguf"), tinyGguf());
    await writeFile(at("bad.gguf"), "hello");
    const { models, broken } = await library.list();
    expect(models.map(({ id }) => id)).toEqual(["good"]);
    expect(broken).toMatchObject([{ id: "bad", fault: expect.stringContaining("not a GGUF file") }]);
    await expect(library.find("bad")).rejects.toThrow(/not a GGUF file/);
    await expect(library.find("none")).rejects.toMatchObject({ hint: "There are: good" });
  });

  it("reads a file again that changed behind its back", async () => {
    const library = new ModelLibrary(folder);
    await writeFile(at("a.gguf"), tinyGguf());
    await library.find("a");
    await writeFile(at("a.gguf"), tinyGguf({ "llama.context_length": 4096 }).subarray(0, -1));
    await expect(library.find("a")).rejects.toThrow(/cut off/);
  });

  it("makes names that can be typed and hold no path", () => {
    expect(idFor("../../Etc Passwd")).toBe("etc-passwd");
    expect(() => idFor("///")).toThrow(/no usable name/);
  });
});
