import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { Secret } from "#foundation/secrets/secret";
import { FakeClock } from "#foundation/testing/fake-clock";
import { json, says, startModelServer } from "../../../../test/fakes/model-server/index.ts";
import { KeyScopeError, keyCredential, noCredential } from "../../credentials/scoped.ts";
import { detectLocalServer, findLocalServers, localContextWindow, onlyModel } from "../local/local.ts";
import { probeEndpoints } from "../probe-endpoints.ts";
import { fetchBedrockModels } from "./bedrock-models.ts";
import { findListed } from "./find-listed.ts";
import { ModelsCache } from "./models-cache.ts";
import { fetchModels, readModelList } from "./models-list.ts";
import { readRecommended, refreshRecommended } from "./recommended.ts";

describe("lists of models", () => {
  test("[20:A2.6] the AI gateway offers language models that use tools", () => {
    const body = {
      data: [
        { id: "img/one", type: "image", tags: ["tool-use"] },
        { id: "talk/two", type: "language", tags: ["vision"] },
        { id: "work/three", type: "language", tags: ["tool-use"] },
      ],
    };
    expect(readModelList(body, { keep: "language-with-tool-use" }).map((one) => one.id)).toEqual(["work/three"]);
  });

  test("OpenRouter: models without tools are left out, models that do not say stay", () => {
    const body = {
      data: [
        { id: "a", supported_parameters: ["tools"] },
        { id: "b", supported_parameters: ["temperature"] },
        { id: "c" },
      ],
    };
    expect(readModelList(body, { keep: "tools-parameter" }).map((one) => one.id)).toEqual(["a", "c"]);
  });

  test("Codex: hidden ones are left out, the rest is sorted by priority; Nous hides Hermes", () => {
    const body = {
      models: [
        { slug: "x", priority: 5 },
        { slug: "y", visibility: "hide", priority: 1 },
        { slug: "z", priority: 2, context_window: 272_000 },
      ],
    };
    expect(readModelList(body, { keep: "not-hidden", sortBy: "priority" })).toEqual([
      { id: "z", contextWindow: 272_000 },
      { id: "x" },
    ]);
    expect(readModelList([{ id: "hermes-4" }, { id: "k" }], { hide: /hermes/i }).map((one) => one.id)).toEqual(["k"]);
  });

  test("[20:R6.1] windows are found under any of their names, and nonsense is not a window", () => {
    const body = [
      { id: "a", max_model_len: 8192 },
      { id: "b", n_ctx: 12 },
      { id: "c", meta: { n_ctx_train: 4096 } },
      { id: "d", context_length: 99_000_000 },
      { id: "" },
      7,
      null,
    ];
    expect(readModelList(body, {}).map((one) => [one.id, one.contextWindow])).toEqual([
      ["a", 8192],
      ["b", undefined],
      ["c", 4096],
      ["d", undefined],
    ]);
  });

  test("the endpoint is asked with the credential, and a foreign host is not", async () => {
    await using server = await startModelServer({ models: [{ id: "m1" }], apiKey: "the-key" });
    const handle = keyCredential({
      id: "1",
      source: "env:X",
      scheme: { kind: "bearer" },
      allowedHosts: [new URL(server.url).host],
      secret: new Secret("the-key"),
    });
    const list = await fetchModels(
      { source: { path: "/models" }, baseUrl: server.chatBaseUrl, credential: handle },
      never,
    );
    expect(list).toMatchObject({ kind: "models", models: [{ id: "m1" }] });
    const foreign = keyCredential({
      id: "1",
      source: "env:X",
      scheme: { kind: "bearer" },
      allowedHosts: ["example.com"],
      secret: new Secret("the-key"),
    });
    await expect(
      fetchModels({ source: { path: "/models" }, baseUrl: server.chatBaseUrl, credential: foreign }, never),
    ).rejects.toThrow(KeyScopeError);
    expect(server.probes).toHaveLength(1);
  });

  test("refusals and broken answers are told", async () => {
    await using server = await startModelServer({});
    server.serve("GET /broken/models", json(200, "nope"));
    const ask = (path: string) =>
      fetchModels({ source: { path: "/models" }, baseUrl: `${server.url}${path}`, credential: noCredential }, never);
    expect(await ask("/nowhere")).toMatchObject({ kind: "failure", status: 404 });
    expect(await ask("/broken")).toMatchObject({ kind: "models", models: [] });
  });

  test("Bedrock: profiles and on-demand text models, of the makers that are wanted", async () => {
    await using server = await startModelServer({});
    server.serve(
      "GET /inference-profiles",
      json(200, {
        inferenceProfileSummaries: [
          { inferenceProfileId: "us.anthropic.claude-x", status: "ACTIVE" },
          { inferenceProfileId: "us.old", status: "LEGACY" },
        ],
      }),
    );
    server.serve(
      "GET /foundation-models",
      json(200, {
        modelSummaries: [
          { modelId: "amazon.nova", outputModalities: ["TEXT"], inferenceTypesSupported: ["ON_DEMAND"] },
          { modelId: "amazon.image", outputModalities: ["IMAGE"], inferenceTypesSupported: ["ON_DEMAND"] },
          { modelId: "anthropic.claude-x", outputModalities: ["TEXT"], inferenceTypesSupported: ["PROVISIONED"] },
        ],
      }),
    );
    const asked = { credential: noCredential, baseUrl: server.url };
    const ids = async (makers: readonly string[]) => {
      const list = await fetchBedrockModels({ ...asked, makers }, never);
      return list.kind === "models" ? list.models.map((one) => one.id) : list.message;
    };
    expect(await ids([])).toEqual(["us.anthropic.claude-x", "amazon.nova"]);
    expect(await ids(["Anthropic"])).toEqual(["us.anthropic.claude-x"]);
    expect(await fetchBedrockModels({ ...asked, baseUrl: `${server.url}/x` }, never)).toMatchObject({ status: 404 });
  });

  test("[20:R2.5] a key is tried at each address of its service, and nowhere else", async () => {
    await using wrong = await startModelServer({ apiKey: "other" });
    await using right = await startModelServer({});
    right.script(says("pong"));
    const hosts = [new URL(wrong.url).host, new URL(right.url).host];
    const credential = (allowedHosts: readonly string[]) =>
      keyCredential({
        id: "1",
        source: "env:GLM_API_KEY",
        scheme: { kind: "bearer" },
        allowedHosts,
        secret: new Secret("glm-key-0123"),
      });
    const baseUrls = [wrong.chatBaseUrl, right.chatBaseUrl];
    const facts = { model: "glm-5", baseUrls };
    expect(await probeEndpoints({ ...facts, credential: credential(hosts) }, never)).toBe(right.chatBaseUrl);
    expect(right.requests[0]?.body).toMatchObject({ model: "glm-5", max_tokens: 1 });
    await expect(probeEndpoints({ ...facts, credential: credential(["api.z.ai"]) }, never)).rejects.toThrow(
      KeyScopeError,
    );
  });

  test.each([
    ...["context_length", "context_window", "max_context_length", "max_position_embeddings", "max_model_len"],
    ...["max_input_tokens", "max_sequence_length", "max_seq_len", "n_ctx_train", "n_ctx", "ctx_size"],
  ])("[20:R6.1] the window of a listed model stands in %s", (field) => {
    const [listed] = readModelList({ data: [{ id: "m", [field]: 40_000 }] }, {});
    expect(listed?.contextWindow).toBe(40_000);
    expect(readModelList({ data: [{ id: "m", [field]: 512 }] }, {})[0]?.contextWindow).toBeUndefined();
  });

  test("[20:R6.1] a model is found by its id, as the only one, or by the closest id that contains it", () => {
    const only = readModelList({ data: [{ id: "Qwen/Qwen3-8B-AWQ" }] }, {});
    expect(findListed(only, "whatever")?.id).toBe("Qwen/Qwen3-8B-AWQ");
    const two = readModelList({ data: [{ id: "llama-70b-instruct" }, { id: "llama-70b" }] }, {});
    expect(findListed(two, "llama-70b")?.id).toBe("llama-70b");
    expect(findListed(two, "70B-Instruct")?.id).toBe("llama-70b-instruct");
    expect(findListed(two, "mistral")).toBeUndefined();
  });

  test("[20:R6.5] a kept list answers at once, also for the next process, and a failed fetch leaves it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hermes-models-"));
    try {
      const clock = new FakeClock();
      const cache = new ModelsCache({ clock, folder });
      expect(await cache.read("x")).toBeUndefined();
      let fetches = 0;
      const good = async () => {
        fetches += 1;
        const m = { id: "m", contextWindow: 9000, efforts: ["low"], prices: { input: 1 } };
        return { kind: "models", models: [m] } as const;
      };
      await Promise.all([cache.refresh("x", good), cache.refresh("x", good)]);
      expect(fetches).toBe(1);
      await cache.refresh("x", async () => ({ kind: "failure", message: "down" }));
      const next = new ModelsCache({ clock, folder });
      expect(await next.read("x")).toEqual({
        models: [{ id: "m", contextWindow: 9000, efforts: ["low"], prices: { input: 1 } }],
        isFresh: true,
      });
      expect(next.peek("x").map((one) => one.id)).toEqual(["m"]);
      await clock.advance(300_000);
      expect((await next.read("x"))?.isFresh).toBe(false);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("[20:R2.15] recommended models: kept for a day, and nothing at all without a network", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hermes-models-"));
    try {
      await using server = await startModelServer({});
      server.serve(
        "GET /list.json",
        json(200, { providers: { openrouter: { models: ["a/b", { id: "c/d" }, 7] }, bad: {} } }),
      );
      const clock = new FakeClock();
      const options = { url: `${server.url}/list.json`, cachePath: join(folder, "c.json"), clock };
      expect(await readRecommended(options)).toEqual({ recommended: {}, isStale: true });
      expect(await refreshRecommended(options, never)).toBe(true);
      expect(await readRecommended(options)).toEqual({ recommended: { openrouter: ["a/b", "c/d"] }, isStale: false });
      await clock.advance(86_400_000);
      expect((await readRecommended(options)).isStale).toBe(true);
      expect(await refreshRecommended({ ...options, url: `${server.url}/gone` }, never)).toBe(false);
      expect(await readRecommended({ ...options, url: "" })).toEqual({ recommended: {}, isStale: false });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("servers on this machine", () => {
  const models = [{ id: "qwen3:27b", contextLength: 40_960 }];

  test.each([
    [{ kind: "lm-studio", loadedContextLength: 16_384 } as const, "lm-studio", 16_384],
    [{ kind: "ollama", numCtx: 8192 } as const, "ollama", 8192],
    [{ kind: "ollama" } as const, "ollama", 40_960],
    [{ kind: "llama-cpp", contextSize: 12_288 } as const, "llama-cpp", 12_288],
    [{ kind: "vllm" } as const, "vllm", 40_960],
  ])("[20:R2.10] %j is found with its real window", async (localServer, kind, window) => {
    await using server = await startModelServer({ models, localServer });
    const found = await detectLocalServer(server.chatBaseUrl, {}, never);
    expect(found?.kind).toBe(kind);
    if (found === undefined) return;
    expect(onlyModel(found.models)).toBe("qwen3:27b");
    expect(await localContextWindow(found, { baseUrl: server.chatBaseUrl, model: "qwen3:27b" }, never)).toBe(window);
  });

  test("an ordinary endpoint and a closed port are none of them", async () => {
    await using server = await startModelServer({ models });
    expect(await detectLocalServer(server.chatBaseUrl, {}, never)).toBeUndefined();
    expect(await detectLocalServer("http://127.0.0.1:9/v1", {}, never)).toBeUndefined();
  });

  test("what is running is found by its port", async () => {
    await using server = await startModelServer({ models, localServer: { kind: "ollama" } });
    const port = Number(new URL(server.url).port);
    const found = await findLocalServers({ OLLAMA_HOST: `0.0.0.0:${port}` }, never);
    expect(found.map((one) => [one.kind, one.baseUrl])).toContainEqual(["ollama", `http://127.0.0.1:${port}/v1`]);
  });

  test("of several models the only loaded one is meant", () => {
    expect(
      onlyModel([
        { id: "a", isLoaded: false },
        { id: "b", isLoaded: true },
      ]),
    ).toBe("b");
    expect(onlyModel([{ id: "a" }, { id: "b" }])).toBeUndefined();
  });
});
