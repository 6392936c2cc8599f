import { mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import { FakeClock } from "#foundation/testing/fake-clock";
import { CachedSource } from "./cached-source.ts";
import { ModelCatalog } from "./catalog.ts";
import { readModelList } from "./model-list.ts";
import { readModelsDev } from "./models-dev.ts";
import { knowledgeFrom, openCatalog } from "./open-catalog.ts";

const openai = {
  openai: {
    models: {
      "gpt-5.5": {
        limit: { context: 1_050_000, output: 128_000 },
        cost: { input: 5, output: 30, cache_read: 0.5, context_over_200k: { input: 10, output: 45 } },
        tool_call: true,
        reasoning: true,
        modalities: { input: ["text", "image"] },
      },
      "whisper-1": { tool_call: false },
    },
  },
  moonshotai: {
    models: { "kimi-k2.6": { limit: { context: 262_144 }, tool_call: true, cost: { input: 0, output: 0 } } },
  },
};
const openRouterList = {
  data: [
    {
      id: "anthropic/claude-opus-4.7",
      context_length: 1_000_000,
      top_provider: { max_completion_tokens: 128_000 },
      pricing: { prompt: "0.000005", completion: "0.000025", input_cache_read: "0.0000005", request: "0" },
      architecture: { input_modalities: ["text", "image"] },
      supported_parameters: ["tools", "reasoning"],
    },
    { id: 7 },
    "nonsense",
  ],
};

let folder = "";
let server: Server;
let answers: { status: number; body: string }[] = [];
let asked = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hermes-catalog-"));
  answers = [];
  asked = 0;
  server = createServer((_request, response) => {
    const answer = answers[asked] ?? { status: 500, body: "" };
    asked += 1;
    response.writeHead(answer.status).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

function source(clock = new FakeClock()) {
  const { port } = server.address() as AddressInfo;
  const file = join(folder, "sub", "models_dev_cache.json");
  const options = { url: `http://127.0.0.1:${port}/api.json`, file, maxAgeMs: 3_600_000, clock, logger: silentLogger };
  return { clock, file, modelsDev: new CachedSource({ ...options, parse: readModelsDev }) };
}

describe("a catalogue from the network", () => {
  it("is fetched once an hour, stored, and read from the file at the next start [20:R6.5]", async () => {
    answers = [{ status: 200, body: JSON.stringify(openai) }];
    const { clock, modelsDev, file } = source();
    expect(modelsDev.current).toBeUndefined();
    expect(await Promise.all([modelsDev.refresh(never), modelsDev.refresh(never)])).toEqual(["updated", "updated"]);
    expect(await modelsDev.refresh(never)).toBe("current");
    expect(asked).toBe(1);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual(openai);

    const next = source(clock).modelsDev;
    await next.load();
    const catalog = new ModelCatalog({ modelsDev: next });
    const question = { provider: "openai", model: "gpt-5.5", baseUrl: "https://api.openai.com/v1" };
    expect(catalog.window(question)).toEqual({ tokens: 1_050_000, source: "models.dev" });
    expect(await next.refresh(never)).toBe("current");
    await clock.advance(3_600_000);
    expect(await next.refresh(never)).toBe("failed");
    expect(asked).toBe(2);
  });

  it("stays quiet for five minutes after a failure and keeps what it has [20:R6.5]", async () => {
    const { clock, modelsDev } = source();
    answers = [
      { status: 200, body: "<html>" },
      { status: 200, body: JSON.stringify(openai) },
    ];
    expect(await modelsDev.refresh(never)).toBe("failed");
    expect(await modelsDev.refresh(never)).toBe("failed");
    expect(asked).toBe(1);
    await clock.advance(300_000);
    expect(await modelsDev.refresh(never)).toBe("updated");
    expect(asked).toBe(2);
  });

  it("treats a broken file as none", async () => {
    const { modelsDev, file } = source();
    answers = [{ status: 200, body: JSON.stringify(openai) }];
    await modelsDev.refresh(never);
    await writeFile(file, "{broken");
    await utimes(file, new Date(), new Date());
    const next = source().modelsDev;
    await next.load();
    expect(next.current).toBeUndefined();
  });
});

describe("what catalogues say", () => {
  it("models.dev: windows, prices, capabilities, other names for providers [20:R6.1]", () => {
    const catalogue = readModelsDev(openai);
    if (catalogue === undefined) throw new Error("unreadable");
    const held = { current: catalogue } as CachedSource<typeof catalogue>;
    const catalog = new ModelCatalog({ modelsDev: held });
    const gpt = { provider: "openai", model: "gpt-5.5", baseUrl: "https://x" };
    expect(catalog.maxOutput(gpt, "other")).toBe(128_000);
    expect(catalog.capabilities(gpt)).toEqual(["tools", "vision", "reasoning"]);
    expect(catalog.window({ ...gpt, provider: "kimi-coding", model: "kimi-k2.6" }).tokens).toBe(262_144);
  });

  it("a zero in a table is not a price, a zero in the provider's own list is", () => {
    const catalogue = readModelsDev({ p: { models: { m: { cost: { input: 0, output: 0 } } } } });
    const held = { current: catalogue } as CachedSource<NonNullable<typeof catalogue>>;
    const question = { provider: "p", model: "m", baseUrl: "https://x" };
    expect(new ModelCatalog({ modelsDev: held }).prices(question).source).toBe("none");
    const free = readModelList({ data: [{ id: "x/y:free", pricing: { prompt: "0", completion: "0" } }] });
    const openRouter = { current: free } as CachedSource<typeof free>;
    const quote = new ModelCatalog({ openRouter }).prices({
      provider: "openrouter",
      model: "x/y:free",
      baseUrl: "https://x",
    });
    expect(quote).toMatchObject({ source: "provider_models_api", prices: { input: 0, output: 0 } });
  });

  it("OpenRouter: prices per token become prices per million [20:R6.10]", () => {
    const list = readModelList(openRouterList);
    expect([...list.keys()]).toEqual(["anthropic/claude-opus-4.7"]);
    const openRouter = { current: list } as CachedSource<typeof list>;
    const catalog = new ModelCatalog({ openRouter });
    const question = {
      provider: "openrouter",
      model: "anthropic/claude-opus-4-7",
      baseUrl: "https://openrouter.ai/api/v1",
    };
    expect(catalog.prices(question)).toEqual({
      billingMode: "official_models_api",
      source: "provider_models_api",
      isIncluded: false,
      prices: { input: 5, output: 25, cacheRead: 0.5 },
    });
    expect(catalog.window({ ...question, provider: "nous" }).source).toBe("openrouter");
    expect(catalog.window({ ...question, model: "anthropic/claude" }).source).toBe("family");
  });

  it("nothing in them can break the reader", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        readModelsDev(value);
        readModelsDev({ p: { models: { m: value } } });
        readModelList(value);
        readModelList({ data: [value, { id: "m", pricing: value, capabilities: value, top_provider: value }] });
      }),
    );
  });
});

describe("the catalogue of a home", () => {
  it("starts offline, learns in the background, and answers resolution [20:R6.5] [20:R6.10]", async () => {
    const { port } = server.address() as AddressInfo;
    answers = [
      { status: 200, body: JSON.stringify(openai) },
      { status: 200, body: JSON.stringify(openai) },
    ];
    const { catalog } = openCatalog({
      files: { modelsDev: join(folder, "m.json"), openRouter: join(folder, "o.json"), learned: join(folder, "l.yaml") },
      clock: new FakeClock(),
      logger: silentLogger,
      priceOverrides: { openai: { "gpt-5.5": { input: 1, output: 2, cache_read: 0.1 } } },
      urls: { modelsDev: `http://127.0.0.1:${port}/m`, openRouter: `http://127.0.0.1:${port}/o` },
    });
    const look = knowledgeFrom(catalog);
    const query = { provider: "openai", model: "gpt-5.5", baseUrl: "https://api.openai.com/v1" };
    await catalog.load();
    expect(asked).toBe(0);
    const known = { contextWindow: 1_050_000, windowSource: "the built-in table", maxOutputTokens: 128_000 };
    expect(look(query)).toEqual({ ...known, supportsImages: true });
    // What the shipped table knows needs no network.
    await catalog.refresh(query, never);
    await catalog.refresh({ ...query, provider: "custom", model: "x" }, never);
    expect(asked).toBe(0);
    await catalog.refresh({ ...query, model: "gpt-next" }, never);
    await catalog.refresh({ ...query, provider: "openrouter" }, never);
    expect(asked).toBe(2);
    expect(catalog.window(query).source).toBe("models.dev");
    expect(catalog.prices(query).prices).toEqual({ input: 1, output: 2, cacheRead: 0.1 });
    const own = { provider: "custom", model: "x", baseUrl: "http://y" };
    expect(look({ ...own, localWindow: 9_000 })).toMatchObject({
      contextWindow: 9_000,
      windowSource: "the local server",
    });
    expect(look({ ...own, listedWindow: 9_001 })).toMatchObject({
      contextWindow: 9_001,
      windowSource: "the model list of the endpoint",
    });
  });
});
