import { afterEach, describe, expect, it } from "vitest";
import { calls, says, slow } from "../../../test/fakes/model-server/index.ts";
import { closeGateways, gateway } from "../testing/gateway-harness.ts";

afterEach(closeGateways);

const key = "agent:main:fake:dm:1";
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const asked = (request: { readonly messages: readonly Record<string, unknown>[] } | undefined): string =>
  JSON.stringify(request?.messages.findLast(({ role }) => role === "user")?.["content"]);

describe("messages to a busy chat", { timeout: 60_000 }, () => {
  it("stop a turn three times in a row; further ones wait for its answer [40:FLW-15]", async () => {
    const { intake, message, server, start, texts } = await gateway();
    server.script(...["A", "B", "C", "D"].map((name) => slow(says(`To ${name}.`))), says("To E and F."));
    start();
    for (const [index, name] of ["A", "B", "C", "D"].entries()) {
      await intake.admit(message(name));
      await server.received(index + 1);
    }
    await intake.admit(message("E"));
    await intake.admit(message("F"));
    server.release(1_000);
    await expect.poll(() => texts().at(-1), { timeout: 30_000 }).toBe("To E and F.");
    expect(texts().filter((text) => text.startsWith("To "))).toEqual(["To D.", "To E and F."]);
    expect(asked(server.requests[4])).toContain("E\\nF");
  });

  it("with pictures do not stop the turn: they are the next input, with what is said about them [40:FLW-20]", async () => {
    const { intake, message, server, start, texts, files } = await gateway();
    server.script(slow(says("First.")), says("A fine picture."));
    start();
    await intake.admit(message("work"));
    await server.received(1);
    files.set("p", picture);
    const attachments = [{ kind: "image", ref: { file: "p" }, mimeType: "image/png" }] as const;
    await intake.admit(message("look at this", { attachments }));
    server.release(1_000);
    await expect.poll(texts, { timeout: 30_000 }).toEqual(["First.", "A fine picture."]);
    expect(asked(server.requests[1])).toContain("look at this");
  });

  it("steer it where that is set, and are its next words when it takes none any more [40:FLW-18]", async () => {
    const { intake, message, server, start, texts } = await gateway({
      busyMode: "steer",
      settings: { busyMode: "steer" },
    });
    const todo = calls("todo", { todos: [{ id: "1", content: "x", status: "pending" }] });
    server.script(slow(todo), says("In Python 3.12."));
    start();
    await intake.admit(message("write a program"));
    await server.received(1);
    await intake.admit(message("in Python 3.12"));
    // Its own commands are heard in their turn: when this one is answered, the words before it have been, too.
    await intake.admit(message("/sethome"));
    await expect.poll(() => texts().length, { timeout: 30_000 }).toBe(1);
    server.release(1_000);
    await expect.poll(texts, { timeout: 30_000 }).toContain("In Python 3.12.");
    const result = server.requests[1]?.messages.findLast(({ role }) => role === "tool");
    expect(String(result?.["content"])).toContain("in Python 3.12");
  });

  it("that wait follow the first answer; those that stop it make it go unsaid [40:FLW-25]", async () => {
    const waiting = await gateway({ busyMode: "queue" });
    waiting.server.script(slow(says("To A.")), says("To B."));
    waiting.start();
    await waiting.intake.admit(waiting.message("A"));
    await waiting.server.received(1);
    await waiting.intake.admit(waiting.message("B"));
    waiting.server.release(1_000);
    await expect.poll(waiting.texts, { timeout: 30_000 }).toEqual(["To A.", "To B."]);

    const stopping = await gateway();
    stopping.server.script(slow(says("To A.")), says("To B."));
    stopping.start();
    await stopping.intake.admit(stopping.message("A"));
    await stopping.server.received(1);
    await stopping.intake.admit(stopping.message("B"));
    await expect.poll(stopping.texts, { timeout: 30_000 }).toContain("To B.");
    expect(stopping.texts()).not.toContain("To A.");
  });

  it("ask for another conversation while it works: the command's answer, then what waits, and nothing of the old turn [40:FLW-13] [40:FLW-26]", async () => {
    const { intake, message, server, start, texts, store } = await gateway({ busyMode: "queue" });
    server.script(slow(says("Never.")), says("Fresh."));
    start();
    await intake.admit(message("work"));
    await server.received(1);
    const before = (await store.routes.get(key))?.sessionId;
    await intake.admit(message("/new"));
    await expect.poll(() => texts()[0], { timeout: 30_000 }).toContain("New session");
    await intake.admit(message("hello"));
    await expect.poll(() => texts()[1], { timeout: 30_000 }).toBe("Fresh.");
    expect(texts()).toHaveLength(2);
    // Why the turn was stopped is nobody's words.
    const roles = server.requests[1]?.messages.map(({ role }) => role);
    expect(roles).toEqual(["system", "user"]);
    expect((await store.routes.get(key))?.sessionId).not.toBe(before);
  });

  it("that come before anybody serves the chat are one input", async () => {
    const { intake, message, server, start, texts } = await gateway({ busyMode: "queue" });
    server.script(says("To all of it."));
    // Nothing serves the chat yet: what came meanwhile is one input.
    for (const text of ["one", "two", "three"]) await intake.admit(message(text));
    start();
    await expect.poll(texts, { timeout: 30_000 }).toEqual(["To all of it."]);
    expect(server.requests).toHaveLength(1);
    expect(asked(server.requests[0])).toContain("one\\ntwo\\nthree");
  });

  it("are words, not commands: yes is no approval and stop does not stop [40:CMD-7]", async () => {
    const { intake, message, server, start, texts } = await gateway();
    server.script(says("You said yes."), says("You said stop."));
    start();
    await intake.admit(message("yes"));
    await expect.poll(texts, { timeout: 30_000 }).toEqual(["You said yes."]);
    await intake.admit(message("stop"));
    await expect.poll(texts, { timeout: 30_000 }).toEqual(["You said yes.", "You said stop."]);
    expect(asked(server.requests[1])).toContain("stop");
  });
});

it("commands of the terminal say that they are for the terminal [40:CMD-4]", { timeout: 60_000 }, async () => {
  const { intake, message, server, start, heard, texts } = await gateway();
  start();
  for (const [index, name] of ["clear", "history", "config", "quit"].entries()) {
    await intake.admit(message(`/${name}`));
    await heard(index + 1);
    expect(texts()[index]).toMatch(/terminal/iu);
  }
  expect(server.requests).toHaveLength(0);
});

it("plugins see a message before anything else is done with it, and may drop or rewrite it [40:FLW-2]", {
  timeout: 60_000,
}, async () => {
  const { intake, message, server, start, texts, store } = await gateway({
    dispatch: (text) => {
      if (text === "spam") return { kind: "skip", reason: "spam" };
      return text === "helo" ? { kind: "rewrite", text: "hello" } : undefined;
    },
  });
  server.script(says("Hi."));
  start();
  await intake.admit(message("spam"));
  await expect.poll(async () => (await store.inbox.counts()).dropped, { timeout: 30_000 }).toBe(1);
  await intake.admit(message("helo"));
  await expect.poll(texts, { timeout: 30_000 }).toEqual(["Hi."]);
  expect(asked(server.requests[0])).toContain("hello");
  expect(JSON.stringify(server.requests)).not.toContain("spam");
});

it("a key may say private for dm, and its parts are stored beside it [40:FLW-9] [40:FLW-6] [40:A-FLW-1]", async () => {
  const { intake, message, server, start, heard, store } = await gateway();
  server.script(says("Hi."));
  start();
  await intake.admit(message("hello", { chatId: "corp:1" }));
  await heard(1);
  const route = await store.routes.get("agent:main:fake:private:corp:1");
  expect(route).toMatchObject({ sessionKey: "agent:main:fake:dm:corp:1", chatType: "dm", chatId: "corp:1" });
  expect(route).toEqual(await store.routes.get("agent:main:fake:dm:corp:1"));
});

describe("a conversation with programs that still run", { timeout: 60_000 }, () => {
  it("does not end by itself, however long nobody wrote [40:SES-7] [40:A-SES-5]", async () => {
    let isRunning = true;
    const { intake, message, server, start, heard, texts, store } = await gateway({
      reset: { mode: "idle", idleMinutes: 60 },
      services: () => ({
        processes: { list: () => (isRunning ? [{ id: "p1", command: "make watch", state: "running" as const }] : []) },
      }),
    });
    server.script(says("First."), says("Second."), says("Third."));
    start();
    const rest = async () => {
      const route = await store.routes.get(key);
      if (route === undefined) throw new Error("no route");
      await store.routes.put({ ...route, updatedAtMs: Date.now() - 2 * 86_400_000 });
      return route.sessionId;
    };
    await intake.admit(message("one"));
    await heard(1);
    const id = await rest();
    await intake.admit(message("two"));
    await heard(2);
    expect(texts()[1]).toBe("Second.");
    expect(await rest()).toBe(id);
    isRunning = false;
    await intake.admit(message("three"));
    await heard(4);
    expect(texts()[2]).toContain(id);
    expect((await store.routes.get(key))?.sessionId).not.toBe(id);
  });
});
