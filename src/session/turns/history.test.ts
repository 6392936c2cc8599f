import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { assistantMessage, type Message, newToolCall, toolMessage, userMessage } from "#conversation";
import { UserError } from "#foundation/errors";
import { says } from "../../../test/fakes/model-server/index.ts";
import { type HarnessOptions, openHarness, say } from "../testing/harness.ts";
import { textsOf } from "../testing/test-agent.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

async function harness(options: HarnessOptions = {}) {
  const one = await openHarness(options);
  open.push(one);
  return one;
}

const call = newToolCall({ id: "c1", name: "terminal", arguments: "{}" });
const earlier: readonly Message[] = [
  userMessage("What is here?"),
  assistantMessage("", { tool_calls: [call] }),
  toolMessage(call, "notes.txt"),
  assistantMessage("A file."),
];

describe("a session with a history of its caller", () => {
  it("goes on from it, and stores it with its first message [40:API-11]", async () => {
    const { open, server, store } = await harness();
    server.script(says("It says tea."));
    const session = await open({ source: "api-server", history: earlier });
    expect(textsOf(session.history)).toEqual(["What is here?", "", "notes.txt", "A file."]);
    expect(await store.sessions.list()).toEqual([]);
    await say(session, "What does it say?");
    const { messages } = await server.received(1);
    expect(messages.slice(1).map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "user"]);
    const stored = await store.messages.conversation(session.info.id);
    expect(textsOf(stored)).toEqual([...textsOf(earlier), "What does it say?", "It says tea."]);
  });

  it("does not write alongside what was said before", async () => {
    const { open, server } = await harness();
    server.script(says("Hi."));
    const written: string[] = [];
    const alongside = async (_tx: unknown, { messages }: { readonly messages: readonly Message[] }) =>
      void written.push(...textsOf(messages));
    const session = await open({ history: earlier, alongside });
    await say(session, "hello");
    expect(written).toEqual(["hello", "Hi."]);
  });

  it.each([
    ["two of one side in a row", [userMessage("a"), userMessage("b"), assistantMessage("c")]],
    ["an answer first", [assistantMessage("a")]],
    ["a call without a result", [userMessage("a"), assistantMessage("", { tool_calls: [call] })]],
    ["a result without a call", [userMessage("a"), toolMessage(call, "x"), assistantMessage("b")]],
    ["no answer at the end", [userMessage("a"), assistantMessage("b"), userMessage("c")]],
  ])("is refused with %s [40:API-11]", async (_what, history) => {
    const { open } = await harness();
    await expect(open({ history })).rejects.toThrow(UserError);
    await expect(open({ history })).rejects.toThrow("This history cannot be used");
  });

  it("is refused together with a session to resume", async () => {
    const { open, server } = await harness();
    server.script(says("Hi."));
    const session = await open();
    await say(session, "hello");
    await expect(open({ resume: session.info.id, history: earlier })).rejects.toThrow("has one of its own");
  });
});

describe("a session that is not stored", () => {
  it("works like any other and leaves nothing: no row, no input, no log [40:API-17]", async () => {
    const settings = { writesSessionLog: true, suggestsTitles: true };
    const { open, server, store, folder } = await harness({ settings });
    server.script(says("One."), says("Two."));
    const session = await open({ history: earlier, isStored: false });
    await say(session, "a");
    expect((await say(session, "b")).text).toBe("Two.");
    expect(textsOf(session.history)).toEqual([...textsOf(earlier), "a", "One.", "b", "Two."]);
    await session[Symbol.asyncDispose]();
    expect(await store.sessions.list()).toEqual([]);
    expect(await store.messages.newestRow()).toBe(0);
    expect(Object.values(await store.inbox.counts())).toEqual([0, 0, 0, 0, 0]);
    expect(await store.leases.get(`turn:${session.info.id}`)).toBeUndefined();
    expect(await readdir(join(folder, "home")).catch(() => [])).toEqual([]);
  });
});
