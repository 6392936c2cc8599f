import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { ModelCatalog, type ModelQuestion } from "./catalog.ts";
import { anthropicOutputLimit, familyCapabilities, familyWindow } from "./families.ts";
import { formatLimits, LearnedLimits, parseLimits } from "./learned-limits.ts";
import { chooseWindow, windowSources } from "./limits.ts";
import { checkWindow } from "./window-check.ts";

function asks(provider: string, model: string, extra: Partial<ModelQuestion> = {}): ModelQuestion {
  return { provider, model, baseUrl: "https://api.test/v1", ...extra };
}

describe("which context window counts", () => {
  it("follows one order, from the user's word down to a default [20:R6.1]", () => {
    const claims = Object.fromEntries(windowSources.slice(0, -1).map((source, index) => [source, 10_000 + index]));
    for (const source of windowSources) {
      expect(chooseWindow(claims)).toMatchObject({ source });
      delete claims[source];
    }
    expect(chooseWindow({})).toEqual({ tokens: 128_000, source: "default" });
  });

  it("[20:A6.2] a configured window beats everything [20:R6.1]", () => {
    const question = asks("anthropic", "claude-opus-4-7", { configuredWindow: 32_768, localWindow: 9_999 });
    expect(new ModelCatalog().window(question)).toEqual({ tokens: 32_768, source: "config" });
  });

  it("[20:A6.1] [20:A6.10] works without network and caches [20:R6.1] [20:R6.5]", () => {
    const catalog = new ModelCatalog();
    expect(catalog.window(asks("openai-codex", "gpt-5.5")).tokens).toBe(272_000);
    expect(catalog.window(asks("openai", "gpt-5.5")).tokens).toBe(1_050_000);
    expect(catalog.window(asks("anthropic", "claude-sonnet-4-6")).tokens).toBe(1_000_000);
    expect(catalog.window(asks("custom", "nobody-knows"))).toEqual({ tokens: 128_000, source: "default" });
    expect(catalog.window(asks("bedrock", "us.anthropic.claude-haiku-4-5-20251001-v1:0"))).toEqual({
      tokens: 200_000,
      source: "bedrock-table",
    });
  });
});

describe("families", () => {
  it.each([
    ["anthropic/claude-opus-4.7", 1_000_000],
    ["claude-sonnet-4-6", 1_000_000],
    ["claude-haiku-4-5-20251001", 200_000],
    ["gpt-5.5", 1_050_000],
    ["gpt-5.4", 1_050_000],
    ["gpt-5.4-mini", 400_000],
    ["gpt-5.4-nano", 400_000],
    ["gpt-5", 400_000],
    ["gpt-5.1-chat", 128_000],
    ["gpt-4.1-mini", 1_047_576],
    ["gpt-4o", 128_000],
    ["google/gemini-3-flash-preview", 1_048_576],
    ["gemma-4-27b", 256_000],
    ["gemma-3-12b", 131_072],
    ["gemma:2b", 8_192],
    ["deepseek-v4-pro", 1_000_000],
    ["deepseek-chat", 1_000_000],
    ["deepseek-reasoner", 1_000_000],
    ["deepseek-v3.2", 128_000],
    ["meta-llama/llama-3.3-70b", 131_072],
    ["qwen3-coder-plus", 1_000_000],
    ["qwen3-coder:30b", 262_144],
    ["qwen3-max", 131_072],
    ["MiniMax-M2.7", 204_800],
    ["glm-5.1", 202_752],
    ["grok-4.20-reasoning", 2_000_000],
    ["grok-4-fast", 2_000_000],
    ["grok-4-1-fast", 2_000_000],
    ["grok-4", 256_000],
    ["grok-code-fast-1", 256_000],
    ["grok-3", 131_072],
    ["moonshotai/kimi-k2.6", 262_144],
    ["nvidia/nemotron-3-super", 131_072],
    ["trinity-large-thinking", 262_144],
    ["mimo-v2.5", 1_048_576],
    ["mimo-v2-pro", 1_048_576],
    ["mimo-v2-flash", 262_144],
    ["mystery", undefined],
  ])("%s has the window %s [20:R6.2]", (model, tokens) => {
    expect(familyWindow(model)).toBe(tokens);
  });

  it.each([
    ["claude-opus-4-7", 128_000],
    ["claude-opus-4.6", 128_000],
    ["claude-sonnet-4-6", 64_000],
    ["claude-haiku-4-5-20251001", 64_000],
    ["claude-opus-4-5", 64_000],
    ["claude-sonnet-4-20250514", 64_000],
    ["claude-opus-4-1", 32_000],
    ["claude-3-7-sonnet-latest", 128_000],
    ["claude-3-5-haiku-20241022", 8_192],
    ["claude-3-opus-20240229", 4_096],
    ["MiniMax-M2.7", 131_072],
    ["claude-next", undefined],
  ])("%s can write %s tokens on the Anthropic wire [20:R6.7]", (model, tokens) => {
    expect(anthropicOutputLimit(model)).toBe(tokens);
    expect(new ModelCatalog().maxOutput(asks("minimax-like", model), "anthropic")).toBe(tokens ?? 128_000);
  });

  it("guesses capabilities from names", () => {
    expect(familyCapabilities("claude-opus-4-7")).toEqual(["tools", "vision", "reasoning"]);
    expect(familyCapabilities("llama-3.3-70b")).toEqual(["tools"]);
    expect(familyCapabilities("o3-mini")).toEqual(["tools", "reasoning"]);
    expect(new ModelCatalog().capabilities(asks("openai", "gpt-4o"))).toEqual(["tools", "vision"]);
  });
});

describe("a window that is too small", () => {
  it("[20:A6.9] is refused with both ways out, or accepted with a lasting warning [20:R6.4] [10:LOOP-6]", () => {
    const refused = checkWindow(32_000, { model: "m", isSmallAllowed: false });
    expect(refused).toMatchObject({ kind: "refused", code: "context_too_small" });
    expect(JSON.stringify(refused)).toMatch(/model\.context_length.*model\.allow_small_context/);
    expect(checkWindow(32_000, { model: "m", isSmallAllowed: true })).toMatchObject({ kind: "warning" });
    expect(checkWindow(64_000, { model: "m", isSmallAllowed: false })).toEqual({ kind: "fits" });
  });

  it.each([
    ["ollama", "OLLAMA_CONTEXT_LENGTH=65536"],
    ["lm-studio", "larger context length"],
    ["llama.cpp", "-c 65536"],
    ["vllm", "--max-model-len"],
    ["sglang", "--context-length"],
  ] as const)("names the fix for %s from 8,192 down, accepted or not [20:R6.4]", (server, fix) => {
    for (const isSmallAllowed of [true, false])
      expect(JSON.stringify(checkWindow(8_192, { model: "m", isSmallAllowed, server }))).toContain(fix);
  });
});

describe("learned windows", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "hermes-limits-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("[20:A6.4] survive the process and win over the catalogue [10:ERR-12] [20:R6.1]", async () => {
    const path = join(folder, "deep", "context_length_cache.yaml");
    const first = new LearnedLimits(path);
    await first.learn({ model: "gpt-4o", baseUrl: "https://api.test/v1/", tokens: 32_768 }, never);
    const second = new LearnedLimits(path);
    await second.load();
    const catalog = new ModelCatalog({ learned: second });
    expect(catalog.window(asks("openai", "gpt-4o"))).toEqual({ tokens: 32_768, source: "learned" });
    expect(await readFile(path, "utf8")).toBe("context_lengths:\n  gpt-4o@https://api.test/v1: 32768\n");
  });

  it("keeps what another process learned meanwhile and drops what is forgotten", async () => {
    const path = join(folder, "c.yaml");
    const [one, two] = [new LearnedLimits(path), new LearnedLimits(path)];
    await Promise.all([
      one.learn({ model: "a", baseUrl: "http://x", tokens: 8_000 }, never),
      two.learn({ model: "b", baseUrl: "http://x", tokens: 9_000 }, never),
    ]);
    await one.load();
    expect([one.get("a", "http://x"), one.get("b", "http://x")]).toEqual([8_000, 9_000]);
  });

  it("ignores stale Codex values and nonsense in the file [20:R6.1]", async () => {
    const path = join(folder, "c.yaml");
    const lines = [
      "gpt-5.5@https://api.test/v1: 400000",
      "'q''t@http://x': 9000",
      "- list",
      "z@u: 12",
      "a: {b: 1}",
      "@: 1e9",
    ];
    await writeFile(path, lines.join("\n"));
    const learned = new LearnedLimits(path);
    await learned.load();
    expect(learned.get("q't", "http://x")).toBe(9_000);
    const catalog = new ModelCatalog({ learned });
    expect(catalog.window(asks("openai-codex", "gpt-5.5")).tokens).toBe(272_000);
    expect(catalog.window(asks("openai", "gpt-5.5")).tokens).toBe(400_000);
  });

  it("stores nothing that cannot be a window", async () => {
    const learned = new LearnedLimits(join(folder, "c.yaml"));
    await learned.learn({ model: "a", baseUrl: "http://x", tokens: 12 }, never);
    expect(learned.get("a", "http://x")).toBeUndefined();
  });

  it("any key comes back as it was written, any text is read without throwing", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1_024, max: 10_000_000 }),
        (key, tokens) => {
          const full = `${key}@http://h:1/v1`;
          expect(parseLimits(formatLimits([[full, tokens]])).get(full)).toBe(tokens);
        },
      ),
    );
    fc.assert(fc.property(fc.string(), (text) => void parseLimits(text)));
  });
});
