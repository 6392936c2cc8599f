import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Message, SessionId } from "#conversation";
import { defined } from "#foundation/defined";
import { silentLogger } from "#foundation/files/logger";
import { systemClock } from "#foundation/time/clock";
import { openStore, type Store } from "#store";
import type { Auxiliary, SessionScope } from "#tools";
import { type AuxiliaryRequest, noAuxiliary, runTool, testScope, toolContext } from "#tools/testing";
import { matchLocations, matchWindow, previewAround } from "./match-window.ts";
import { createSessionSearchTool } from "./session-search-tool.ts";

let store: Store;
beforeEach(async () => {
  store = await openStore({ memory: true }, { clock: systemClock, log: silentLogger });
});
afterEach(() => store[Symbol.asyncDispose]());

const id = (name: string) => `20260101_000000_${name.padEnd(8, "0")}` as SessionId;
const user = (content: string, uid?: string): Message => ({
  role: "user",
  content,
  ...defined({ uid }),
});
const answer = (content: string): Message => ({ role: "assistant", content });

function asking(changes: Partial<SessionScope> = {}) {
  const requests: AuxiliaryRequest[] = [];
  const ask: Auxiliary["ask"] = (_task, request) => {
    requests.push(request);
    return Promise.resolve({ kind: "text", text: `report ${requests.length}` });
  };
  const tool = createSessionSearchTool({ store, logger: silentLogger });
  const scope = testScope({ auxiliary: { ...noAuxiliary, ask }, ...changes });
  const call = async (args: Record<string, unknown>, sessionId = id("cafe")) =>
    (await runTool(tool, args, toolContext({ sessionId, scope }))).content as Record<string, unknown> & {
      readonly results: readonly Record<string, unknown>[];
    };
  return { call, requests };
}

describe("session_search", () => {
  it("without a query lists the newest sessions without asking a model [30:3.10] [10:STORE-23]", async () => {
    await store.messages.append(id("a"), [user("Deploy the thing"), answer("ok")], { source: "cli" });
    await store.messages.append(id("b"), [user("hidden")], { source: "tool" });
    await store.messages.append(id("cafe"), [user("now")], { source: "cli" });
    const { call, requests } = asking();
    const found = await call({});
    expect(found).toMatchObject({ success: true, mode: "recent", count: 1 });
    expect(found.results[0]).toMatchObject({ session_id: id("a"), preview: "Deploy the thing", message_count: 2 });
    expect(requests).toEqual([]);
  });

  it("reports on conversations that match, and leaves the asking one out [10:STORE-23]", async () => {
    await store.messages.append(id("a"), [user("the needle is here"), answer("found it")], { source: "cli" });
    await store.messages.append(id("cafe"), [user("where is the needle")], { source: "cli" });
    const { call, requests } = asking();
    const found = await call({ query: "needle" });
    expect(found).toMatchObject({ success: true, query: "needle", count: 1, sessions_searched: 1 });
    expect(found.results[0]).toMatchObject({ session_id: id("a"), source: "cli", summary: "report 1" });
    expect(requests[0]).toMatchObject({ maxTokens: 10_000, temperature: 0.1 });
    expect(requests[0]?.prompt).toContain("ASSISTANT: found it");
  });

  it("reads the part that matched, also when compression has made it a child [10:A10.11]", async () => {
    await store.messages.append(id("a"), [user("first words", "u1")], { source: "cli" });
    await store.sessions.continueCompressed(id("a"), { id: id("b"), messages: [user("first words", "u1")] });
    await store.messages.append(id("b"), [answer("the zebra is in the child")]);
    const { call, requests } = asking();
    const found = await call({ query: "zebra" });
    expect(found.results).toHaveLength(1);
    expect(requests[0]?.prompt).toContain("zebra is in the child");
    expect(requests[0]?.prompt.match(/first words/g)).toHaveLength(1);
  });

  it("clamps its limit and shortens tool outputs [10:STORE-23]", async () => {
    for (const name of ["a", "b", "c", "d", "e", "f"])
      await store.messages.append(id(name), [
        user("needle"),
        { role: "tool", content: "x".repeat(900), tool_call_id: "c", tool_name: "terminal" },
      ]);
    const { call, requests } = asking();
    expect((await call({ query: "needle", limit: 99 })).results).toHaveLength(5);
    expect((await call({ query: "needle" })).results).toHaveLength(3);
    expect((await call({ query: "needle", limit: 0 })).results).toHaveLength(1);
    expect(requests[0]?.prompt).toContain("400 characters left out");
  });

  it("gives a labelled piece of the record when no model answers [10:STORE-23]", async () => {
    await store.messages.append(id("a"), [user(`${"x ".repeat(2_000)}needle${" y".repeat(2_000)}`)]);
    const { call } = asking({ auxiliary: { ...noAuxiliary, ask: () => Promise.reject(new Error("down")) } });
    const [first] = (await call({ query: "needle" })).results;
    expect(first?.["summary"]).toMatch(/^\[not summarised/);
    expect(first?.["summary"]).toContain("needle");
  });

  it("filters by role, and by who may read [30:3.10] [10:STORE-23]", async () => {
    await store.sessions.create({ id: id("a"), source: "telegram", userId: "ann" });
    await store.messages.append(id("a"), [user("needle")], { source: "telegram" });
    await store.messages.append(id("b"), [user("x"), answer("needle")], { source: "telegram" });
    expect((await asking().call({ query: "needle", role_filter: "assistant" })).results).toHaveLength(1);
    const own = asking({ userId: "ann" });
    expect((await own.call({ query: "needle" })).results).toMatchObject([{ session_id: id("a") }]);
    expect((await own.call({})).results).toMatchObject([{ session_id: id("a") }]);
  });

  it("reads single messages whole, also from parts before a compression", async () => {
    const long = "word ".repeat(500);
    await store.messages.append(id("a"), [user(long, "u1"), user("next", "u2")], { source: "cli" });
    await store.sessions.continueCompressed(id("a"), { id: id("b"), messages: [user("summary", "s1")] });
    const found = await asking().call({ message_ids: ["u1", "nothing"] }, id("b"));
    expect(found).toMatchObject({ success: true, mode: "messages", count: 1, missing: ["nothing"] });
    expect(found.results[0]).toMatchObject({ id: "u1", role: "user", content: long, session_id: id("a") });
    expect(await asking().call({ message_ids: ["u1"], session_id: "none" })).toEqual({
      error: "There is no session none.",
    });
  });
});

describe("the window around matches", () => {
  it("prefers the phrase, then terms close together, then single terms [10:STORE-23]", () => {
    const text = `alpha ${"x".repeat(400)} beta ${"x".repeat(400)} alpha beta ${"x".repeat(400)} beta alpha`;
    expect(matchLocations(text, '"alpha beta"')).toEqual([text.indexOf("alpha beta")]);
    expect(matchLocations(text, "beta gamma").length).toBeGreaterThan(1);
    expect(matchLocations(`beta then ${"y".repeat(300)} alpha not far from beta`, "alpha beta")).toHaveLength(1);
  });

  it("covers most matches within its size, a quarter before them", () => {
    const text = `needle${"a".repeat(5_000)}needle needle needle${"b".repeat(5_000)}`;
    const shown = matchWindow(text, "needle", 1_000);
    expect(shown.match(/needle/g)).toHaveLength(3);
    expect(shown.indexOf("needle")).toBeGreaterThan(200);
    expect(matchWindow("short", "needle", 1_000)).toBe("short");
    expect(previewAround(text, "nowhere", 10)).toBe(text.slice(0, 10));
  });
});
