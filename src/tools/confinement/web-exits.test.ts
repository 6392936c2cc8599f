import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "#foundation/testing/fake-clock";
import { FakeWebServer } from "../../../test/fakes/web-server/index.ts";
import { createVisionAnalyzeTool } from "../builtin/vision-analyze.tool.ts";
import { createWebExtractTool } from "../builtin/web-extract.tool.ts";
import type { ToolContext } from "../contract/context.ts";
import { createSafeFetch } from "../network/safe-fetch.ts";
import type { HostAnswer, WantedHost } from "../network/session-network.ts";
import type { UrlRules } from "../network/urls.ts";
import { runTool, testExits, toolContext } from "../testing.ts";

const looked: string[] = [];
const rules: UrlRules = {
  allowPrivate: true,
  sites: [],
  resolve: (host) => {
    looked.push(host);
    return Promise.resolve(["127.0.0.1"]);
  },
};
const secret = "plainwordsecret";
const long = `/?d=${"word+".repeat(40)}`;

let web: FakeWebServer;
let port: string;
beforeAll(async () => {
  const page = { body: "<html><body><p>Boats float. <a href='/more'>more</a></p></body></html>" };
  web = await FakeWebServer.start({
    "/": page,
    "/page": page,
    "/more": page,
    "/other": page,
    "/away": () => ({ status: 302, headers: { location: `http://strange.test:${port}${long}` } }),
  });
  ({ port } = new URL(web.origin));
});
afterAll(() => web[Symbol.asyncDispose]());

describe("what leaves with an address", () => {
  const asked: WantedHost[] = [];
  let answer: HostAnswer = "nobody";
  let hasSeenPrivate = false;
  let exits = testExits();
  beforeEach(() => {
    answer = "nobody";
    hasSeenPrivate = false;
    asked.length = 0;
    looked.length = 0;
    web.seen.length = 0;
    exits = testExits(
      {
        rules: { mode: "ask", allow: ["listed.test"], deny: [] },
        ask: (to) => {
          asked.push(to);
          return Promise.resolve(answer);
        },
      },
      { hasSeenPrivate: () => hasSeenPrivate, secrets: [secret] },
    );
  });

  async function extract(at: string, context: Partial<ToolContext> = {}): Promise<string | null | undefined> {
    const tool = createWebExtractTool({ web: { env: {}, fetch: createSafeFetch(rules, false) }, rules, exits });
    const [host = "", ...rest] = at.split("/");
    const { content } = await runTool(
      tool,
      { urls: [`http://${host}:${port}/${rest.join("/")}`] },
      { ...toolContext(), ...context },
    );
    return (content as { results: { error: string | null }[] }).results[0]?.error;
  }
  const tainted = { untrusted: "web_extract" };

  it("a plain page is read without a question while nothing from outside and nothing private was read", async () => {
    expect(await extract("a.test/page")).toBeNull();
    expect(asked).toEqual([]);
  });

  it.each([
    ["a long query", `a.test${long}`],
    ["an encoded query", "a.test/?d=QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0NTY3"],
    ["an encoded path", `a.test/${"6162636465".repeat(6)}`],
    ["a name that is data", `${"6162636465".repeat(5)}.a.test/page`],
    ["a known secret", `a.test/page/${secret}`],
    ["a known secret, percent-encoded", `a.test/page?x=%70lainwordsecret`],
  ])("%s is not sent, nor its name looked up, where nobody can be asked", async (_what, at) => {
    expect(await extract(at)).toContain("nobody can be asked here");
    expect(asked).toHaveLength(1);
    expect(web.seen).toEqual([]);
    expect(looked).toEqual([]);
  });

  it("while text from outside is in the context a new host asks; what a search found and the person wrote does not", async () => {
    expect(await extract("a.test/page", tainted)).toContain("text from outside");
    exits.found(toolContext().scope.key, [`http://b.test:${port}/page`]);
    expect(await extract("b.test/page", tainted)).toBeNull();
    expect(await extract("b.test/other", tainted)).toContain("text from outside");
    expect(await extract("c.test/page", { ...tainted, userTask: "Read c.test, please." })).toBeNull();
    expect(await extract("listed.test/page", tainted)).toBeNull();
  });

  it("links that a page shows to its own site are followed", async () => {
    expect(await extract("a.test/page")).toBeNull();
    expect(await extract("a.test/more", tainted)).toBeNull();
    expect(await extract("a.test/other", tainted)).toContain("text from outside");
  });

  it("after private files were read every unlisted host asks, and an answer for once holds for one call", async () => {
    hasSeenPrivate = true;
    expect(await extract("a.test/page")).toContain("private files");
    answer = "once";
    expect(await extract("a.test/page")).toBeNull();
    expect(await extract("a.test/page")).toBeNull();
    expect(asked).toHaveLength(3);
    answer = "session";
    expect(await extract("a.test/page")).toBeNull();
    answer = "deny";
    expect(await extract("a.test/page")).toBeNull();
    expect(asked[3]?.about).toMatchObject({ tool: "web_extract", address: `http://a.test:${port}/page` });
    expect(await extract("b.test/page")).toContain("did not allow");
  });

  it("an address that repeats what a file or a command of this machine said asks", async () => {
    const heardHere = () => ["The code is 7f3a91b2; we let Peter go in March."];
    expect(await extract("a.test/page?d=7f3a91b2", { heardHere })).toContain("words of files");
    expect(await extract("a.test/page?d=we+let+peter+go", { heardHere })).toContain("words of files");
    expect(await extract("a.test/page?d=peter", { heardHere })).toBeNull();
    exits.hearing(toolContext().scope.key).onEnd?.({
      call: { id: "1", type: "function", function: { name: "terminal", arguments: "{}" } },
      text: "token a1b2c3d4",
      kind: "succeeded",
      durationMs: 1,
      preview: "",
    });
    expect(await extract("a.test/page?d=a1b2c3d4")).toContain("words of files");
    expect(web.seen).toHaveLength(1);
  });

  it("a listed host cannot pass on data to one that is not", async () => {
    expect(await extract("listed.test/away")).toBeNull();
    expect(await extract(`listed.test/away${long.slice(1)}`)).toContain("strange.test");
    expect(web.seen.filter(({ headers }) => headers["host"]?.startsWith("strange") === true)).toHaveLength(1);
  });

  it("pictures go by the same rules", async () => {
    const tool = createVisionAnalyzeTool({
      fetch: createSafeFetch(rules, false),
      exits,
      clock: new FakeClock(0),
      readFile: () => Promise.reject(new Error("no file")),
    });
    const look = runTool(tool, { image_url: `http://a.test:${port}${long}`, question: "What?" }, toolContext());
    await expect(look).rejects.toThrow("nobody can be asked here");
    expect(web.seen).toEqual([]);
  });
});
