import { describe, expect, it } from "vitest";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { toolContext } from "#tools/testing";
import { type ContextEngine, thresholdOf } from "./engine.ts";
import { engineTools, selectEngine } from "./engine-choice.ts";
import { testCompressor } from "./testing/builders.ts";

const plugin: ContextEngine = {
  name: "mine",
  lastPromptTokens: 90,
  lastCompletionTokens: 0,
  lastTotalTokens: 90,
  thresholdTokens: 0,
  contextLength: 100,
  compressionCount: 0,
  updateFromResponse: () => undefined,
  shouldCompress: () => false,
  compress: (messages) => messages,
};

function select(name: string, offered: readonly unknown[]) {
  const warnings: string[] = [];
  const builtin = testCompressor().engine;
  const engine = selectEngine({ name, offered, builtin: () => builtin, warn: (text) => void warnings.push(text) });
  return { engine: engine.name, warnings };
}

describe("the engine of a conversation [10:COMP-38]", () => {
  it("is the built-in one unless another is named", () => {
    expect(select("compressor", [plugin])).toEqual({ engine: "compressor", warnings: [] });
    expect(select("", [plugin])).toEqual({ engine: "compressor", warnings: [] });
  });

  it("is the one a plugin brought under that name", () => {
    expect(select("mine", [{ name: "other" }, plugin])).toEqual({ engine: "mine", warnings: [] });
  });

  it("is the built-in one, with a warning, when the name is unknown or the engine unfinished", () => {
    expect(select("nobody", [plugin])).toEqual({
      engine: "compressor",
      warnings: [expect.stringContaining('There is no context engine "nobody"')],
    });
    expect(select("half", [{ name: "half", compress: () => [] }]).warnings[0]).toContain("lacks members");
  });

  it("has a threshold even when it states none", () => {
    expect(thresholdOf(plugin)).toBe(75);
  });

  it("may bring tools; their answers and failures reach the model", async () => {
    const logger = memoryLogger();
    const parameters = { type: "object", properties: {} };
    const engine: ContextEngine = {
      ...plugin,
      getToolSchemas: () => [{ name: "look", parameters }, { name: "taken", parameters }, { name: "bad name" }],
      handleToolCall: (_name, args) => {
        if (args["fail"] === true) throw new Error("lost it");
        return '{"found":1}';
      },
    };
    const tools = engineTools(engine, { taken: new Set(["taken"]), logger });
    expect(tools.map((tool) => tool.name)).toEqual(["look"]);
    expect(logger.lines).toHaveLength(2);
    expect(await tools[0]?.execute({}, toolContext())).toMatchObject({ content: '{"found":1}' });
    await expect(tools[0]?.execute({ fail: true }, toolContext())).rejects.toThrow(/mine could not do this: lost it/);
  });
});
