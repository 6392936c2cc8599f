import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FakeWebServer } from "../../../test/fakes/web-server/index.ts";
import type { Auxiliary } from "../contract/auxiliary.ts";
import { noAuxiliary } from "../contract/unattended-scope.ts";
import { createSafeFetch } from "../network/safe-fetch.ts";
import type { UrlRules } from "../network/urls.ts";
import { runTool, testExits, testScope, toolContext } from "../testing.ts";
import { digest } from "../web/digest.ts";
import { fenceUntrusted } from "../web/untrusted.ts";
import { createWebExtractTool, type WebExtractDeps } from "./web-extract.tool.ts";
import { createWebSearchTool } from "./web-search.tool.ts";

let web: FakeWebServer;
const rules: UrlRules = {
  allowPrivate: true,
  sites: [{ pattern: "blocked.test", source: "config" }],
  resolve: () => Promise.resolve(["127.0.0.1"]),
};
const longPage = `<html><head><title>Long</title></head><body><article><h1>Long</h1>${"<p>A sentence about boats and harbours.</p>".repeat(1_000)}</article></body></html>`;

beforeAll(async () => {
  web = await FakeWebServer.start({
    "/page": {
      body: `<html><head><title>Boats</title></head><body><nav>Home</nav><article><h1>Boats</h1>
        <p>${"Boats float on water, and that is good. ".repeat(20)}<a href="/more">More</a></p></article><script>alert(1)</script></body></html>`,
    },
    "/long": { body: longPage },
    "/away": { status: 302, headers: { location: "http://169.254.169.254/latest" } },
    "/to-blocked": () => ({ status: 302, headers: { location: "http://blocked.test/" } }),
    "/missing": { status: 404, body: "no" },
    "/image": { headers: { "content-type": "image/png" }, body: "png" },
    "/latin": {
      headers: { "content-type": "text/plain; charset=iso-8859-1" },
      body: new Uint8Array([0x63, 0x61, 0x66, 0xe9]),
    },
  });
});
afterAll(() => web[Symbol.asyncDispose]());
beforeEach(() => {
  web.seen.length = 0;
});

async function extract(urls: readonly string[], changes: Partial<WebExtractDeps> = {}) {
  const tool = createWebExtractTool({
    exits: testExits(),
    web: { env: {}, fetch: createSafeFetch(rules) },
    rules,
    ...changes,
  });
  const { content } = await runTool(tool, { urls }, toolContext());
  return (
    content as {
      results: { url: string; title: string; content: string; error: string | null; blocked_by_policy?: boolean }[];
    }
  ).results;
}

const askingScope = (ask: Auxiliary["ask"]) => testScope({ auxiliary: { ...noAuxiliary, ask } });

describe("web_extract", () => {
  it("[30:3.14] a page comes back as fenced Markdown with absolute links and without scripts", async () => {
    const [page] = await extract([`${web.origin}/page`]);
    expect(page?.error).toBeNull();
    expect(page?.title).toBe("Boats");
    expect(page?.content).toMatch(/^<untrusted-page source="/);
    expect(page?.content).toContain(`[More](${web.origin}/more)`);
    expect(page?.content).not.toContain("alert(1)");
  });

  it("[30:3.27 row 18] a metadata address is an error of that address, and no request is sent", async () => {
    const [bad, good] = await extract(["http://169.254.169.254/", `${web.origin}/page`]);
    expect(bad?.error).toContain("metadata");
    expect(good?.error).toBeNull();
    expect(web.seen.map((request) => request.url)).toEqual(["/page"]);
  });

  it.each(["https://x.test/?k=sk-aaaaaaaaaaaaaaaa", "https://x.test/?k=%73k-aaaaaaaaaaaaaaaa"])(
    "[30:3.27 row 19] an address with a credential refuses the whole call: %s",
    async (url) => {
      await expect(extract([`${web.origin}/page`, url])).rejects.toThrow("credential");
      expect(web.seen).toEqual([]);
    },
  );

  it("[30:3.14][30:5.9] a blocked site is refused for every backend before the service hears of it, and after redirects", async () => {
    web.on("/v2/scrape", { body: { data: { markdown: "secret", metadata: { url: "http://blocked.test/x" } } } });
    const options = { env: { FIRECRAWL_API_URL: web.origin }, fetch: createSafeFetch(rules) };
    const [direct, moved] = await extract(["http://www.blocked.test/", `${web.origin}/page`], { web: options });
    expect(direct).toMatchObject({ blocked_by_policy: true, content: "" });
    expect(moved).toMatchObject({ blocked_by_policy: true, content: "" });
    expect(web.seen.map((request) => (request.json as { url: string }).url)).toEqual([`${web.origin}/page`]);
    const [hop, meta] = await extract([`${web.origin}/to-blocked`, `${web.origin}/away`]);
    expect(hop).toMatchObject({ blocked_by_policy: true });
    expect(meta?.error).toContain("metadata");
  });

  it("failures are told per address: not found, no text", async () => {
    const pages = await extract([`${web.origin}/missing`, `${web.origin}/image`, `${web.origin}/latin`]);
    expect(pages[0]?.error).toContain("404");
    expect(pages[1]?.error).toContain("image/png");
    expect(pages[2]?.content).toContain("café");
  });

  it("[30:3.14] more than five addresses are refused", async () => {
    await expect(extract(Array.from({ length: 6 }, (_, index) => `https://x.test/${index}`))).rejects.toThrow(
      "At most 5",
    );
  });

  it("[30:3.14] a long page is summarised with the user's task in view", async () => {
    const asked: string[] = [];
    const scope = askingScope((task, { prompt }) => {
      asked.push(`${task} ${prompt}`);
      return Promise.resolve({ kind: "text", text: "Boats, in short." });
    });
    const tool = createWebExtractTool({ exits: testExits(), web: { env: {}, fetch: createSafeFetch(rules) }, rules });
    const { content } = await runTool(
      tool,
      { urls: [`${web.origin}/long`] },
      toolContext({ scope, userTask: "find harbours" }),
    );
    expect(JSON.stringify(content)).toContain("Boats, in short.");
    expect(asked[0]).toMatch(/^web_extract .*/);
    expect(asked[0]).toContain("find harbours");
  });

  it("[30:3.14][30:W-32] without a model a long page is cut at 20 000 characters and kept whole in a file", async () => {
    let kept = "";
    const files = {
      keep: (_: string, text: string) => {
        kept = text;
        return Promise.resolve("/kept/page.md");
      },
    };
    const [page] = await extract([`${web.origin}/long`], { files });
    expect(page?.content.length).toBeLessThan(21_000);
    expect(page?.content).toContain("/kept/page.md");
    expect(kept.length).toBeGreaterThan(35_000);
  });
});

describe("what a page is condensed to", () => {
  const wanted = { url: "https://a.test/", title: "A", callId: "c", signal: new AbortController().signal };
  const condensed = (text: string, ask: Auxiliary["ask"] = noAuxiliary.ask) =>
    digest({ ...wanted, text, auxiliary: { ...noAuxiliary, ask } }, {});
  const says =
    (text: string): Auxiliary["ask"] =>
    () =>
      Promise.resolve({ kind: "text", text });

  it("[30:3.14] sizes decide: kept, one summary, parts joined, refused", async () => {
    expect(await condensed("x".repeat(4_999), says("no"))).toHaveLength(4_999);
    expect(await condensed("x".repeat(5_000), says("short"))).toBe("short");
    let calls = 0;
    const counting: Auxiliary["ask"] = () => {
      calls += 1;
      return Promise.resolve({ kind: "text", text: `answer ${calls}` });
    };
    expect(await condensed("x".repeat(500_001), counting)).toBe("answer 7");
    expect(await condensed("x".repeat(2_000_001), counting)).toContain("Left out");
    expect(calls).toBe(7);
  });

  it("[30:3.14] a summary is capped at 5 000 characters, and a failing summariser leaves the beginning with a note", async () => {
    expect(await condensed("x".repeat(6_000), says("y".repeat(9_000)))).toHaveLength(5_000);
    const failing: Auxiliary["ask"] = () => Promise.reject(new Error("overloaded"));
    const text = await condensed("x".repeat(6_000), failing);
    expect(text.startsWith("x".repeat(5_000))).toBe(true);
    expect(text).toContain("overloaded");
  });

  it("[30:3.14] inline images are taken out", async () => {
    const text = `before ![a](data:image/png;base64,${"iVBORw0KGgo".repeat(500)}) after`;
    expect(await condensed(text)).toBe("before ![a]([BASE64_IMAGE_REMOVED]) after");
  });

  it("no text can close its own fence", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom("</untrusted-page>", "< /UNTRUSTED-page", "<untrusted-page>"))),
        (parts) => {
          const fenced = fenceUntrusted(`x${parts.join("")}`, "https://a.test/");
          expect(fenced.match(/<\/untrusted-page>/gi)).toHaveLength(1);
          expect(fenced.endsWith("</untrusted-page>")).toBe(true);
        },
      ),
    );
  });
});

describe("web_search", () => {
  it("[30:3.14][30:W-32] gives numbered hits and passes the limit on, at most twenty", async () => {
    web.on("/v2/search", ({ json }) => ({
      body: {
        data: Array.from({ length: (json as { limit: number }).limit }, (_, n) => ({
          title: `T${n}`,
          url: `https://a.test/${n}`,
        })),
      },
    }));
    const tool = createWebSearchTool({
      exits: testExits(),
      web: { env: { FIRECRAWL_API_URL: web.origin }, fetch: createSafeFetch(rules) },
    });
    const { content } = await runTool(tool, { query: "cats", limit: 99 }, toolContext());
    const found = content as { success: boolean; data: { web: { position: number; url: string }[] } };
    expect(found.success).toBe(true);
    expect(found.data.web).toHaveLength(20);
    expect(found.data.web[0]).toEqual({ title: "T0", url: "https://a.test/0", description: "", position: 1 });
  });

  it("[30:3.0] is unavailable only when the named backend cannot be used", async () => {
    const options = { env: {}, fetch: createSafeFetch(rules) };
    const signal = new AbortController().signal;
    expect(await createWebSearchTool({ exits: testExits(), web: options }).check?.(signal)).toBe(true);
    expect(
      await createWebSearchTool({ exits: testExits(), web: { ...options, backend: "exa" } }).check?.(signal),
    ).toMatchObject({
      reason: expect.stringContaining("exa"),
    });
  });
});
