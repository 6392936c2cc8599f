import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { tinyGguf } from "../testing.ts";
import type { CatalogueModel } from "./catalogue.ts";
import { byFit, catalogue } from "./catalogue.ts";
import { ModelLibrary } from "./library.ts";
import { pullModel } from "./pull.ts";

const bytes = tinyGguf();

const model: CatalogueModel = {
  id: "tiny",
  label: "Tiny",
  file: "tiny.gguf",
  url: "http://127.0.0.1:9/never",
  sizeBytes: bytes.length,
  sha256: createHash("sha256").update(bytes).digest("hex"),
  memoryBytes: 1,
  contextWindow: 2048,
  license: "MIT",
  callForm: "hermes",
  goodFor: "tests",
};

/** A mirror that speaks plain HTTP, with what each request asked for. */
async function mirror(answer: RequestListener) {
  const ranges: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    ranges.push(request.headers.range);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/models/`,
    ranges,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers ranges as a mirror does. */
const whole: RequestListener = (request, response) => {
  const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
  response.writeHead(start > 0 ? 206 : 200).end(bytes.subarray(start));
};

describe("fetching a model", () => {
  let folder = "";
  let library = new ModelLibrary("");
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "hermes-pull-"));
    library = new ModelLibrary(folder);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const pull = (url: string, onProgress: (received: number) => void = () => undefined) =>
    pullModel(model, library, { mirror: url, signal: never, onProgress });
  const part = (): string => `${library.pathOf("tiny")}.part`;

  it("shows how far it is and leaves the file and nothing else", async () => {
    await using server = await mirror(whole);
    const seen: number[] = [];
    const found = await pull(server.url, (received) => void seen.push(received));
    expect(found.facts.contextLength).toBe(2048);
    expect(seen[0]).toBe(0);
    expect(seen.at(-1)).toBe(bytes.length);
    expect((await readdir(folder)).sort()).toEqual(["tiny.gguf", "tiny.gguf.json"]);
  });

  it("goes on where it was interrupted", async () => {
    const arrived = new Deferred<void>();
    await using cutting = await mirror((_, response) => {
      response.writeHead(200, { "content-length": bytes.length });
      response.write(bytes.subarray(0, 150));
      void arrived.promise.then(() => response.destroy());
    });
    const seen = (received: number): void => {
      if (received === 150) arrived.resolve();
    };
    await expect(pull(cutting.url, seen)).rejects.toMatchObject({
      code: "download_interrupted",
      hint: expect.stringContaining("pull tiny"),
    });
    const kept = (await stat(part())).size;
    expect(kept).toBe(150);
    await using server = await mirror(whole);
    await pull(server.url);
    expect(server.ranges).toEqual(["bytes=150-"]);
    expect(await readFile(library.pathOf("tiny"))).toEqual(bytes);
  });

  it("begins anew at a server that knows nothing of ranges", async () => {
    await writeFile(part(), bytes.subarray(0, 40));
    await using server = await mirror((_, response) => response.writeHead(200).end(bytes));
    await pull(server.url);
    expect(await readFile(library.pathOf("tiny"))).toEqual(bytes);
  });

  it("does not keep bytes that are not the model, also when the beginning was wrong before", async () => {
    await writeFile(part(), Buffer.alloc(40, 1));
    await using server = await mirror(whole);
    await expect(pull(server.url)).rejects.toMatchObject({ code: "model_file_broken" });
    expect(await readdir(folder)).toEqual([]);
    await pull(server.url);
    expect((await library.list()).models).toHaveLength(1);
  });

  it("follows to where the file is", async () => {
    await using server = await mirror((request, response) => {
      if (request.url === "/models/tiny.gguf") response.writeHead(302, { location: "/blob" }).end();
      else whole(request, response);
    });
    await pull(server.url);
    expect((await library.list()).models).toHaveLength(1);
  });

  it("says what a mirror without the file answers", async () => {
    await using server = await mirror((_, response) => response.writeHead(404).end());
    await expect(pull(server.url)).rejects.toThrow(/tiny\.gguf cannot be fetched .*status 404/);
  });

  it("asks for room on the disk before anything is fetched", async () => {
    const huge = { ...model, sizeBytes: Number.MAX_SAFE_INTEGER };
    await expect(
      pullModel(huge, library, { mirror: "http://127.0.0.1:9", signal: never, onProgress: () => undefined }),
    ).rejects.toMatchObject({ code: "disk_full" });
  });
});

describe("the catalogue", () => {
  it("puts the largest model that fits first and what does not fit last", () => {
    const order = byFit(catalogue, 4_000_000_000).map(({ id }) => id);
    expect(order).toEqual(["qwen3-1.7b", "qwen3-0.6b", "smollm2-135m", "qwen3-4b", "qwen3-8b"]);
  });

  it("knows hash and size of every file", () => {
    for (const { sha256, sizeBytes, url } of catalogue) {
      expect(sha256).toMatch(/^[0-9a-f]{64}$/);
      expect(sizeBytes).toBeGreaterThan(50_000_000);
      expect(url).toMatch(/^https:\/\/.*\.gguf$/);
    }
  });
});
