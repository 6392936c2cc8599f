import { describe, expect, it } from "vitest";
import { assistantMessage, imagePart, type SessionId, textPart, toolMessage, userMessage } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import { systemClock } from "#foundation/time/clock";
import { openStore } from "#store";
import { createConversations } from "./conversations.ts";

const id = (text: string): SessionId => text as SessionId;

async function stage() {
  const store = await openStore({ memory: true }, { clock: systemClock, log: silentLogger });
  return {
    store,
    conversations: createConversations(store),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

describe("conversations as other programs read them", () => {
  it("keep their key when compression cuts them, and are read as one [30:6.7]", async () => {
    await using input = await stage();
    const { store, conversations } = input;
    await store.sessions.create({ id: id("one"), source: "cli" });
    const first = [userMessage("tea?", { uid: "1" }), assistantMessage("green", { uid: "2" })];
    await store.messages.append(id("one"), first);
    const summary = userMessage("[summary]", { uid: "3" });
    await store.sessions.continueCompressed(id("one"), { id: id("two"), messages: [summary, ...first.slice(1)] });
    await store.messages.append(id("two"), [userMessage("and coffee?", { uid: "4" })]);
    const [listed] = await conversations.list({ limit: 10 }, never);
    expect(listed).toMatchObject({ key: "one", sessionId: "two", platform: "cli" });
    expect(await conversations.get("two")).toMatchObject({ key: "one", sessionId: "two" });
    expect((await conversations.messages("one", 50))?.map((said) => said.id)).toEqual(["1", "2", "3", "4"]);
    expect((await conversations.messages("one", 2))?.map((said) => said.text)).toEqual(["[summary]", "and coffee?"]);
    expect(await conversations.messages("none", 5)).toBeUndefined();
  });

  it("are found by their title and by what was said, on one surface or all [30:6.7]", async () => {
    await using input = await stage();
    const { store, conversations } = input;
    for (const [name, source, text] of [
      ["a", "cli", "the walnut cake"],
      ["b", "telegram", "the walnut tree"],
      ["c", "cli", "nothing of that"],
    ] as const) {
      await store.sessions.create({ id: id(name), source });
      await store.messages.append(id(name), [
        userMessage("hello", { uid: `${name}0` }),
        assistantMessage(text, { uid: name }),
      ]);
    }
    await store.sessions.setTitle(id("c"), "Walnuts");
    const found = async (wanted: { platform?: string; search?: string }): Promise<readonly string[]> =>
      (await conversations.list({ limit: 10, ...wanted }, never)).map(({ key }) => key).sort();
    expect(await found({ search: "walnut" })).toEqual(["a", "b", "c"]);
    expect(await found({ search: "walnut", platform: "cli" })).toEqual(["a", "c"]);
    expect(await found({ platform: "telegram" })).toEqual(["b"]);
    expect(await conversations.get("Walnuts")).toMatchObject({ key: "c" });
  });

  it("tell what is said, and neither tools nor children [30:6.7]", async () => {
    await using input = await stage();
    const { store, conversations } = input;
    await store.sessions.create({ id: id("s"), source: "cli" });
    await store.sessions.create({
      id: id("child"),
      source: "subagent",
      parentSessionId: id("s"),
      lineage: "delegation",
    });
    const location = await conversations.now();
    const call = { id: "c", type: "function", function: { name: "ls", arguments: "{}" } } as const;
    await store.messages.append(id("s"), [
      userMessage([textPart("look"), imagePart("data:image/png;base64,QUJD")], { uid: "1" }),
      assistantMessage("", { uid: "2", tool_calls: [call] }),
      toolMessage(call, "files", { uid: "3" }),
      assistantMessage("a dot", { uid: "4" }),
    ]);
    await store.messages.append(id("child"), [userMessage("count", { uid: "5" })]);
    const said = await conversations.since(location);
    expect(said.messages.map((one) => [one.key, one.id, one.images.length])).toEqual([
      ["s", "1", 1],
      ["s", "4", 0],
    ]);
    expect(await conversations.since(said.location)).toEqual({ location: said.location, messages: [] });
  });

  it("of platforms have the key of their route [30:6.7]", async () => {
    await using input = await stage();
    const { store, conversations } = input;
    await store.sessions.create({ id: id("s"), source: "telegram" });
    await store.messages.append(id("s"), [userMessage("hi", { uid: "1" })]);
    const route = {
      sessionKey: "telegram:dm:7",
      sessionId: id("s"),
      platform: "telegram",
      chatType: "dm",
      chatId: "7",
    };
    await store.routes.put({ ...route, createdAtMs: 1, updatedAtMs: 1, details: {} });
    expect(await conversations.get("telegram:dm:7")).toMatchObject({ key: "telegram:dm:7", sessionId: "s" });
    expect(await conversations.channels("telegram")).toEqual([
      { key: "telegram:dm:7", platform: "telegram", kind: "dm", chatId: "7", threadId: undefined },
    ]);
    expect(await conversations.channels("slack")).toEqual([]);
  });
});
