import { describe, expect, it } from "vitest";
import { ofPlugin, toImage } from "./images.ts";

describe("what plugins give for an image", () => {
  it.each([
    ["an address", "https://x.test/a.png", { kind: "image", url: "https://x.test/a.png" }],
    ["data", "data:image/png;base64,AA==", { kind: "image", url: "data:image/png;base64,AA==" }],
    ["a path", "/tmp/a.png", { kind: "file", path: "/tmp/a.png" }],
    ["a map with an address", { success: true, image: "http://x.test/a" }, { kind: "image", url: "http://x.test/a" }],
    [
      "a map with a file, which lasts longer than an address",
      { url: "http://x.test/a", file_path: "/a.png" },
      { kind: "file", path: "/a.png" },
    ],
    [
      "a failure",
      { success: false, error: "no money", error_type: "billing" },
      { kind: "failed", error: "no money", type: "billing" },
    ],
    ["nothing", undefined, { kind: "failed", type: "provider_contract" }],
    ["an empty map", {}, { kind: "failed", type: "provider_contract" }],
    ["an empty word", "", { kind: "failed", type: "provider_contract" }],
  ])("may be %s [30:3.17]", (_what, answer, expected) => {
    expect(toImage(answer)).toMatchObject(expected);
  });

  it("is asked for with the words and the shape wanted [30:7.4]", async () => {
    const asked: unknown[] = [];
    const provider = ofPlugin({
      name: "mine",
      isAvailable: () => true,
      generate(request) {
        asked.push(request);
        return Promise.resolve("/a.png");
      },
    });
    expect(await provider.generate({ prompt: "a cat", aspectRatio: "square" }, new AbortController().signal)).toEqual({
      kind: "file",
      path: "/a.png",
    });
    expect(asked).toEqual([{ prompt: "a cat", aspectRatio: "square" }]);
  });
});
