import { afterEach, describe, expect, it } from "vitest";
import { badKey, calls, says, slow } from "../../../test/fakes/model-server/index.ts";
import { closeGateways, gateway } from "../testing/gateway-harness.ts";

afterEach(closeGateways);

const key = "agent:main:fake:dm:1";

async function chat(options: Parameters<typeof gateway>[0] = {}) {
  const opened = await gateway(options);
  const { intake, message, texts, store } = opened;
  opened.start();
  /** Says something and waits for the next message in the chat. */
  const say = async (text: string, chatId = "1"): Promise<string> => {
    const before = texts().length;
    await intake.admit(message(text, { chatId }));
    await expect.poll(() => texts().length, { timeout: 30_000 }).toBeGreaterThan(before);
    return texts().at(-1) ?? "";
  };
  const stored = async () => {
    const route = await store.routes.get(key);
    const messages = route === undefined ? [] : await store.messages.conversation(route.sessionId);
    return messages.map(({ role, content }) => `${role}: ${typeof content === "string" ? content : "…"}`);
  };
  const sessionId = async () => (await store.routes.get(key))?.sessionId;
  return { ...opened, say, stored, sessionId };
}

describe("a command in a chat", { timeout: 60_000 }, () => {
  it("has other names and beginnings; one that fits several is asked about [40:CMD-1] [40:CMD-2] [40:A-CMD-1]", async () => {
    const { say, server, sessionId } = await chat();
    server.script(says("Hello."), says("Hello again."));
    await say("hi");
    const before = await sessionId();
    await say("/reset");
    await say("hi again");
    expect(await sessionId()).not.toBe(before);
    expect(await say("/ques")).toMatch(/\/queue/u);
    const ambiguous = await say("/re");
    for (const name of ["reset", "reasoning", "reload-mcp", "restart", "resume", "retry"])
      expect(ambiguous).toContain(name);
    expect(server.requests).toHaveLength(2);
  });

  it("of admins is theirs under every name: beginnings, other names and underscores [40:AUT-18] [40:CMD-2]", async () => {
    const { intake, message, texts, server } = await chat();
    const others = message("", {}).source;
    const say = async (text: string): Promise<string | undefined> => {
      const before = texts().length;
      await intake.admit(message(text, { source: { ...others, userId: "8" } }));
      await expect.poll(() => texts().length, { timeout: 30_000 }).toBeGreaterThan(before);
      return texts().at(-1);
    };
    for (const line of [
      "/yolo",
      "/yol",
      "/reload_mcp",
      "/reload-m",
      "/rest",
      "/set-home",
      "/mod x --global",
      "/provider x --global",
    ])
      expect([line, await say(line)]).toEqual([line, "Only admins may do this."]);
    expect(await say("/appr always")).toBe("Only admins may allow this permanently.");
    expect(server.requests).toEqual([]);
  });

  it("may be written with underscores, as menus without hyphens do [40:CMD-2]", async () => {
    const { say } = await chat();
    expect(await say("/reload_mcp")).not.toMatch(/no command|unknown/iu);
    expect(await say("/set_home")).toContain("go to this chat");
  });

  it("that nobody knows is said to be unknown; no model hears of it and nothing is stored [40:A-CMD-9]", async () => {
    const { say, server, stored } = await chat();
    expect(await say("/doesnotexist")).toContain("doesnotexist");
    expect(server.requests).toEqual([]);
    expect(await stored()).toEqual([]);
  });

  it("that changes the model waits for the turn that runs [40:CMD-6] [40:A-CMD-2]", async () => {
    const { say, server, texts, intake, message } = await chat();
    server.script(slow(says("The answer.")));
    await intake.admit(message("question"));
    await server.received(1);
    expect(await say("/model other-model")).toMatch(/\/stop|running|busy/iu);
    server.release(1_000);
    await expect.poll(() => texts().at(-1), { timeout: 30_000 }).toBe("The answer.");
    await say("/status");
    await expect.poll(() => texts().join("\n"), { timeout: 30_000 }).toContain("test-model");
    expect(texts().join("\n")).not.toContain("Now using");
  });

  it("takes back the last exchange, or asks it again [40:A-CMD-4]", async () => {
    const { say, server, stored } = await chat();
    server.script(says("asst1"), says("asst2"), says("asst2 anew"));
    await say("user1");
    await say("user2");
    expect(await say("/retry")).toBe("asst2 anew");
    expect(await stored()).toEqual(["user: user1", "assistant: asst1", "user: user2", "assistant: asst2 anew"]);
    await say("/undo");
    expect(await stored()).toEqual(["user: user1", "assistant: asst1"]);
  });

  it("names a conversation once; a second one of that name is refused [40:A-CMD-5]", async () => {
    const { say, server } = await chat();
    server.script(says("One."), says("Two."));
    await say("first");
    expect(await say("/title Plan")).toContain("Plan");
    await say("second", "2");
    expect(await say("/title Plan", "2")).toMatch(/already|taken|other/iu);
  });

  it("branches a conversation: the same words, a numbered name, its parent known [40:A-CMD-6]", async () => {
    const { say, server, store, sessionId, stored } = await chat();
    server.script(says("One."));
    await say("first");
    await say("/title Plan");
    const parent = await sessionId();
    const words = await stored();
    expect(await say("/branch")).toContain("Plan #2");
    const branch = await sessionId();
    expect(branch).not.toBe(parent);
    const record = branch === undefined ? undefined : await store.sessions.get(branch);
    expect(record).toMatchObject({ parentSessionId: parent, title: "Plan #2" });
    expect(await stored()).toEqual(words);
  });

  it("goes back to a conversation by its title, and on there", async () => {
    const { say, server, sessionId } = await chat();
    server.script(says("Tea it is."), says("Hello."), says("Still tea."));
    await say("tea please");
    await say("/title Plan");
    const plan = await sessionId();
    await say("/new");
    await say("hello");
    expect(await sessionId()).not.toBe(plan);
    expect(await say("/resume")).toContain("Plan");
    expect(await say("/resume Plan")).toContain("Plan");
    expect(await say("what was it?")).toBe("Still tea.");
    expect(await sessionId()).toBe(plan);
    expect(server.requests[2]?.messages.map(({ content }) => String(content)).join()).toContain("tea please");
  });

  it("shows nobody the conversations of others, and leads into none of them [40:AUT-10]", async () => {
    const { say, server, intake, message, texts, store } = await chat();
    server.script(says("Noted."), says("Hello Bob."));
    await say("my secret plan");
    await say("/title Plan");
    const anns = (await store.routes.get(key))?.sessionId ?? "";
    const source = { ...message("", { chatId: "2" }).source, userId: "8", userName: "Bob" };
    const bob = async (text: string): Promise<string> => {
      const before = texts().length;
      await intake.admit(message(text, { chatId: "2", source }));
      await expect.poll(() => texts().length, { timeout: 30_000 }).toBeGreaterThan(before);
      return texts().slice(before).join();
    };
    await bob("hi");
    const listed = await bob("/resume");
    expect(listed).not.toContain("Plan");
    expect(listed).not.toContain(anns);
    for (const name of ["Plan", anns]) expect(await bob(`/resume ${name}`)).toContain("There is no session");
  });

  it("has nothing to compress in a conversation that has just begun [40:A-CMD-12]", async () => {
    const { say, server } = await chat();
    server.script(says("One."));
    await say("first");
    expect(await say("/compress")).toMatch(/nothing|enough|short/iu);
    expect(server.requests).toHaveLength(1);
  });

  it("guides the turn that runs, and is ordinary words when none does [40:FLW-24] [40:A-FLW-9]", async () => {
    const { say, server, intake, message, texts } = await chat();
    const todo = calls("todo", { todos: [{ id: "1", content: "x", status: "pending" }] });
    server.script(slow(todo), says("As you like."), says("Python 3.12 it is."));
    await intake.admit(message("write a program"));
    await server.received(1);
    await say("/steer use Python 3.12");
    server.release(1_000);
    await expect.poll(() => texts().at(-1), { timeout: 30_000 }).toBe("As you like.");
    const result = server.requests[1]?.messages.findLast(({ role }) => role === "tool");
    expect(String(result?.["content"])).toMatch(/use Python 3\.12\W*$/u);
    expect(await say("/steer use Python 3.12")).toBe("Python 3.12 it is.");
  });
});

it("a refused key is told in the chat, and no answer is stored for it [40:FLW-39]", {
  timeout: 60_000,
}, async () => {
  const { say, server, stored } = await chat();
  server.script(says("Hello."), badKey());
  await say("hi");
  const before = await stored();
  expect(await say("and now?")).toMatch(/key|credential|401/iu);
  expect((await stored()).filter((line) => line.startsWith("assistant"))).toEqual(
    before.filter((line) => line.startsWith("assistant")),
  );
});

it("three pictures with one caption are one turn [40:FLW-31] [40:A-FLW-10]", { timeout: 60_000 }, async () => {
  const { intake, message, server, texts, files } = await chat();
  server.script(says("Three pictures."));
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  for (const [index, text] of ["look at these", "", ""].entries()) {
    files.set(`p${index}`, png);
    const attachments = [{ kind: "image", ref: { file: `p${index}` }, mimeType: "image/png" }] as const;
    await intake.admit(message(text, { attachments }));
  }
  await expect.poll(texts, { timeout: 30_000 }).toEqual(["Three pictures."]);
  expect(server.requests).toHaveLength(1);
  const parts = server.requests[0]?.messages.findLast(({ role }) => role === "user")?.["content"];
  const kinds = (Array.isArray(parts) ? parts : []).map(({ type }: { type: string }) => type);
  expect(kinds.filter((kind) => kind === "image_url")).toHaveLength(3);
  expect(JSON.stringify(parts).match(/look at these/gu)).toHaveLength(1);
});
