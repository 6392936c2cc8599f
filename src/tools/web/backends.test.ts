import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Secret } from "#foundation/secrets/secret";
import { FakeWebServer } from "../../../test/fakes/web-server/index.ts";
import { brave } from "./backends/brave.ts";
import { ddg } from "./backends/ddg.ts";
import { exa } from "./backends/exa.ts";
import { firecrawl } from "./backends/firecrawl.ts";
import { parallel } from "./backends/parallel.ts";
import { searxng } from "./backends/searxng.ts";
import { tavily } from "./backends/tavily.ts";
import { chooseWeb } from "./choose.ts";
import { createManagedGateway } from "./managed-gateway.ts";

const key = new Secret("test-key-123456");
const signal = new AbortController().signal;
let web: FakeWebServer;

beforeAll(async () => {
  web = await FakeWebServer.start();
});
afterAll(() => web[Symbol.asyncDispose]());
beforeEach(() => {
  web.seen.length = 0;
});

describe("web backends speak to their services", () => {
  it.each([
    ["data", { data: [{ title: "T", url: "https://a.test/", description: "D" }] }],
    ["data.web", { data: { web: [{ title: "T", url: "https://a.test/", description: "D" }] } }],
    ["data.results", { data: { results: [{ title: "T", url: "https://a.test/", description: "D" }] } }],
    ["web", { web: [{ title: "T", url: "https://a.test/", description: "D" }] }],
    ["results", { results: [{ title: "T", url: "https://a.test/", snippet: "D" }] }],
  ])("[30:3.14] firecrawl hits are read from %s", async (_, body) => {
    web.on("/v2/search", { body });
    const answer = await firecrawl({ origin: web.origin, key }).search?.("cats", 3, signal);
    expect(answer).toEqual({ kind: "hits", hits: [{ title: "T", url: "https://a.test/", description: "D" }] });
    expect(web.seen[0]?.json).toEqual({ query: "cats", limit: 3 });
    expect(web.seen[0]?.headers.authorization).toBe("Bearer test-key-123456");
  });

  it("[30:3.14] firecrawl reads pages one by one and one failure does not spoil the others", async () => {
    web.on("/v2/scrape", ({ json }) => {
      const { url } = json as { url: string };
      if (url.includes("bad")) return { status: 500, body: { error: "broken" } };
      return { body: { data: { markdown: "# Hi", metadata: { title: "Hi", url: `${url}final` } } } };
    });
    const pages = await firecrawl({ origin: web.origin, key }).extract?.(
      ["https://bad.test/", "https://a.test/"],
      signal,
    );
    expect(pages).toEqual([
      { kind: "failed", url: "https://bad.test/", reason: "HTTP 500: broken" },
      { kind: "page", url: "https://a.test/", finalUrl: "https://a.test/final", title: "Hi", markdown: "# Hi" },
    ]);
  });

  it("[30:3.14] parallel searches in its mode, at most twenty, and extracts full content", async () => {
    web.on("/v1beta/search", { body: { results: [{ title: "T", url: "https://a.test/", excerpts: ["one", "two"] }] } });
    web.on("/v1beta/extract", {
      body: {
        results: [{ url: "https://a.test/", title: "A", full_content: "text" }],
        errors: [{ url: "https://b.test/", error_type: "fetch_error" }],
      },
    });
    const backend = parallel({ key, origin: web.origin, mode: "fast" });
    const found = await backend.search?.("q", 50, signal);
    expect(found).toEqual({ kind: "hits", hits: [{ title: "T", url: "https://a.test/", description: "one … two" }] });
    expect(web.seen[0]?.json).toMatchObject({ max_results: 20, mode: "fast" });
    expect(web.seen[0]?.headers["x-api-key"]).toBe("test-key-123456");
    const pages = await backend.extract?.(["https://b.test/", "https://a.test/", "https://c.test/"], signal);
    expect(pages?.map((page) => page.kind)).toEqual(["failed", "page", "failed"]);
  });

  it("[30:3.14] tavily gets its key in the body", async () => {
    web.on("/search", { body: { results: [{ title: "T", url: "https://a.test/", content: "D" }] } });
    web.on("/extract", { body: { results: [{ url: "https://a.test", raw_content: "text" }], failed_results: [] } });
    const backend = tavily({ key, origin: `${web.origin}/` });
    expect(await backend.search?.("q", 5, signal)).toMatchObject({ kind: "hits", hits: [{ description: "D" }] });
    expect(web.seen[0]?.json).toEqual({ api_key: "test-key-123456", query: "q", max_results: 5 });
    expect(await backend.extract?.(["https://a.test/"], signal)).toMatchObject([{ kind: "page", markdown: "text" }]);
  });

  it("[30:3.14] exa shows highlights and reads text", async () => {
    web.on("/search", { body: { results: [{ title: "T", url: "https://a.test/", highlights: ["H"] }] } });
    web.on("/contents", { body: { results: [{ url: "https://a.test/", title: "T", text: "body" }] } });
    const backend = exa({ key, origin: web.origin });
    expect(await backend.search?.("q", 5, signal)).toMatchObject({ hits: [{ description: "H" }] });
    expect(await backend.extract?.(["https://a.test/"], signal)).toMatchObject([{ kind: "page", markdown: "body" }]);
  });

  it("[30:3.14] searxng, brave and the keyless engine search", async () => {
    web.on("GET /search", { body: { results: [{ title: "S", url: "https://s.test/", content: "C" }] } });
    web.on("/res/v1/web/search", { body: { web: { results: [{ title: "B", url: "https://b.test/" }] } } });
    web.on("/html/", {
      body: `<div class="result result--ad"><a class="result__a" href="https://ad.test/">Ad</a></div>
        <div class="result"><a class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fd.test%2Fx">D &amp; E</a>
        <a class="result__snippet">About <b>it</b></a></div>`,
    });
    expect(await searxng({ origin: web.origin }).search?.("q", 5, signal)).toMatchObject({ hits: [{ title: "S" }] });
    expect(await brave({ key, origin: web.origin }).search?.("q", 5, signal)).toMatchObject({ hits: [{ title: "B" }] });
    expect(await ddg({ origin: web.origin }).search?.("q", 5, signal)).toEqual({
      kind: "hits",
      hits: [{ title: "D & E", url: "https://d.test/x", description: "About it" }],
    });
  });

  it("a service that redirects is a failure, and the key does not follow", async () => {
    web.on("/v2/search", { status: 302, headers: { location: `${web.origin}/elsewhere` } });
    const answer = await firecrawl({ origin: web.origin, key }).search?.("q", 1, signal);
    expect(answer?.kind).toBe("failed");
    expect(web.seen).toHaveLength(1);
  });
});

describe("choosing a backend", () => {
  const fetch = () => Promise.reject(new Error("no traffic"));
  const chosen = async (options: Partial<Parameters<typeof chooseWeb>[0]>): Promise<string> => {
    const found = await chooseWeb({ env: {}, fetch, ...options }, signal);
    return found.kind === "ready" ? `${found.choice.search?.name}+${found.choice.extract.name}` : found.reason;
  };

  it("[30:3.14] the first configured one is taken in the documented order", async () => {
    expect(await chosen({ env: { EXA_API_KEY: "e", TAVILY_API_KEY: "t", PARALLEL_API_KEY: "p" } })).toBe(
      "parallel+parallel",
    );
    expect(await chosen({ env: { EXA_API_KEY: "e", FIRECRAWL_API_URL: "http://127.0.0.1:1" } })).toBe(
      "firecrawl+firecrawl",
    );
    expect(await chosen({ env: { BRAVE_API_KEY: "b" } })).toBe("brave+built-in");
    expect(await chosen({})).toBe("ddg+built-in");
  });

  it("[30:3.14] a named one without key, or an unknown one, is said to be missing", async () => {
    expect(await chosen({ backend: "exa" })).toContain("no key");
    expect(await chosen({ backend: "constructor" })).toContain("not one of");
  });

  it("[30:3.14] the managed gateway counts for firecrawl, for paid accounts only, and never throws", async () => {
    const paid = createManagedGateway({ env: {}, login: () => Promise.resolve({ token: key, isPaid: true }) });
    expect(await paid("firecrawl", signal)).toMatchObject({ origin: "https://firecrawl-gateway.nousresearch.com" });
    expect(await chosen({ gateway: paid })).toBe("firecrawl+firecrawl");
    const free = createManagedGateway({ env: {}, login: () => Promise.resolve({ token: key, isPaid: false }) });
    expect(await chosen({ gateway: free })).toBe("ddg+built-in");
    const broken = createManagedGateway({ env: {}, login: () => Promise.reject(new Error("down")) });
    expect(await broken("modal", signal)).toBeUndefined();
    const own = createManagedGateway({
      env: { FAL_QUEUE_GATEWAY_URL: "http://127.0.0.1:9/x/", TOOL_GATEWAY_USER_TOKEN: "u" },
    });
    expect(await own("fal-queue", signal)).toMatchObject({ origin: "http://127.0.0.1:9/x" });
  });
});
