import { describe, expect, it } from "vitest";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { Hooks } from "./hooks/hooks.ts";
import { imageProvider, toImage, toolExtensions } from "./tool-extensions.ts";

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
    const provider = imageProvider({
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

describe("an approval that plugins hear of", () => {
  it("is told also when the time for answering is up meanwhile [30:7.5]", async () => {
    const heard: unknown[] = [];
    const { onAsk, onAnswer } = toolExtensions({
      hooksFor: (key) => {
        const hooks = new Hooks({ logger: memoryLogger() });
        for (const name of ["approval_requested", "approval_resolved"])
          hooks.on(name, (payload) => void heard.push([key, name, payload]), { owner: "test" });
        return hooks;
      },
      contributions: { imageGenProviders: new Map(), terminals: new Map() },
    });
    const request = {
      id: "1",
      tool: "terminal",
      summary: "rm x",
      findings: [],
      choices: [],
      isDestructive: true,
      sessionKey: "k",
      taskId: "t",
    };
    const stop = new AbortController();
    await onAsk(request, stop.signal);
    stop.abort();
    await onAnswer(request, "once");
    expect(heard).toEqual([
      ["k", "approval_requested", { command: "rm x", keys: [] }],
      ["k", "approval_resolved", { command: "rm x", keys: [], choice: "once", by: "approver" }],
    ]);
  });
});
