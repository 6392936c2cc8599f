import { describe, expect, it } from "vitest";
import { CredentialRecovery, type FallbackEntry, type FallbackEvent, type Target } from "#model";
import type { CredentialHandle } from "#model/testing";
import {
  badKey,
  calls,
  fails,
  overloaded,
  rateLimited,
  reply,
  says,
  serverError,
  startModelServer,
  thinks,
} from "../../test/fakes/model-server/index.ts";
import type { ContextKeeper } from "./context-keeper.ts";
import { type HarnessGiven, targetOn } from "./testing/harness.ts";
import { harnesses, protocols } from "./testing/harnesses.ts";

const harness = harnesses();
const hi = { userMessage: "Hi" };
const entry = (model: string): FallbackEntry => ({ provider: "other", model });

/** An agent with a second server to fall back to; the entries `missing` cannot be set up. */
async function withFallback(
  input: HarnessGiven & { readonly second?: Partial<Target>; readonly models?: readonly string[] } = {},
) {
  const other = await startModelServer({ strict: true });
  const models = input.models ?? ["backup"];
  const events: FallbackEvent[] = [];
  const one = await harness({
    ...input,
    fallbackChain: models.map(entry),
    remedies: {
      random: () => 0,
      onFallback: (event) => void events.push(event),
      resolve: (wanted) =>
        wanted.model === "missing"
          ? Promise.resolve({ kind: "failure", message: "no key" })
          : Promise.resolve({
              kind: "target",
              target: {
                ...targetOn(other, input),
                provider: "other",
                providerLabel: "Other",
                model: wanted.model ?? "",
                ...input.second,
              },
            }),
      ...input.remedies,
    },
  });
  return { ...one, other, switches: events, [Symbol.asyncDispose]: () => other[Symbol.asyncDispose]() };
}

describe.each(protocols)("the next model over %s", (protocol) => {
  it("answers when the first failed three times; the history is the same [20:A5.1] [20:A5.6] [20:R5.5] [10:ERR-8] [10:LOOP-8]", async () => {
    await using one = await withFallback({ protocol });
    one.server.script(serverError(), serverError(), serverError());
    one.other.script(says("From the other"));
    const ended = await one.agent.runConversation(hi);
    expect(ended).toMatchObject({
      text: "From the other",
      completed: true,
      model: "backup",
      provider: "other",
    });
    expect(one.recorded.map((message) => message.content)).toEqual(["Hi", "From the other"]);
    expect(one.server.requests).toHaveLength(3);
    expect(one.events.filter((event) => event.type === "target-change")).toHaveLength(1);
    expect(one.switches).toMatchObject([
      { from: { model: "test-model" }, to: { model: "backup" }, reason: "server_error" },
    ]);
    one.server.script(says("From the first"));
    expect((await one.agent.runConversation(hi)).model).toBe("test-model");
  });

  it("is used without waiting for a limit, when there is one credential only [10:A11.10] [10:ERR-6]", async () => {
    await using one = await withFallback({ protocol });
    one.server.script(rateLimited({ retryAfterMs: 60_000 }));
    one.other.script(says("Hi"));
    expect((await one.agent.runConversation(hi)).completed).toBe(true);
    expect(one.clock.slept).toEqual([]);
  });

  it("is used after signatures were refused twice [10:A11.8]", async () => {
    await using one = await withFallback({ protocol });
    const refused = fails(400, { message: "Invalid `signature` in `thinking` block" });
    one.server.script(refused, refused);
    one.other.script(says("Hi"));
    expect((await one.agent.runConversation(hi)).completed).toBe(true);
    expect(one.clock.slept).toEqual([]);
  });

  it("does not get what another model signed or encrypted, and its own stays [10:ERR-8] [20:R1.43]", async () => {
    await using one = await withFallback({ protocol });
    const thought = reply([thinks("Secret thought.", { encrypted: true }), calls("terminal", { command: "ls" })]);
    one.server.script(thought, badKey());
    one.other.script(reply([thinks("Own thought.", { encrypted: true }), says("Done.")]));
    expect((await one.agent.runConversation(hi)).completed).toBe(true);
    expect(one.other.rejections).toEqual([]);
    one.server.script(says("Back again."));
    expect((await one.agent.runConversation(hi)).completed).toBe(true);
    expect(one.server.rejections).toEqual([]);
  });
});

describe("a chain of models", () => {
  it("passes over entries that cannot be set up; each is tried once per turn [10:ERR-8] [20:A5.4] [20:A5.5] [20:R5.5]", async () => {
    await using one = await withFallback({ models: ["missing", "a", "b"] });
    one.server.script(badKey());
    one.other.otherwise(badKey());
    const ended = await one.agent.runConversation(hi);
    expect(ended).toMatchObject({ failed: true, model: "b", exitReason: "non_retryable_error" });
    expect(one.other.requests.map((request) => request.model)).toEqual(["a", "b"]);
  });

  it("gives every model its own attempts [10:ERR-8] [10:LOOP-26]", async () => {
    await using one = await withFallback();
    one.server.otherwise(overloaded());
    one.other.script(overloaded(), overloaded(), says("Hi"));
    expect((await one.agent.runConversation(hi)).completed).toBe(true);
    expect(one.clock.slept).toEqual([2_000, 4_000, 2_000, 4_000]);
  });

  it("waits first when the server asks for a few seconds only, once [20:A5.7]", async () => {
    await using one = await withFallback();
    one.server.script(rateLimited({ retryAfterMs: 3_000 }), rateLimited({ retryAfterMs: 3_000 }));
    one.other.script(says("Hi"));
    expect((await one.agent.runConversation(hi)).completed).toBe(true);
    expect(one.clock.slept).toEqual([3_000]);
    expect(one.server.requests).toHaveLength(2);
  });

  it("rests the first model until its limit opens again, then goes back [10:ERR-9] [10:LOOP-8]", async () => {
    await using one = await withFallback();
    one.server.script(rateLimited({ retryAfterMs: 300_000 }));
    one.other.script(says("1"), says("2"));
    await one.agent.runConversation(hi);
    expect((await one.agent.runConversation(hi)).model).toBe("backup");
    await one.clock.advance(16 * 60_000);
    one.server.script(says("3"));
    expect(await one.agent.runConversation(hi)).toMatchObject({ model: "test-model", text: "3" });
  });

  it("is not walked when there is none: the turn fails and nobody else is asked", async () => {
    await using one = await withFallback({ models: [] });
    one.server.otherwise(serverError());
    expect(await one.agent.runConversation(hi)).toMatchObject({ failed: true });
    expect(one.other.requests).toEqual([]);
  });

  it("makes the context fit the smaller window before it is asked [20:A5.8] [10:ERR-8]", async () => {
    const windows: number[] = [];
    const keeper: ContextKeeper = {
      fit: (turn) => Promise.resolve(void windows.push(turn.target.limits.contextWindow)),
      relieve: () => Promise.resolve(false),
    };
    await using one = await withFallback({
      deps: { keeper: () => keeper },
      second: { limits: { contextWindow: 32_000 } },
    });
    one.server.script(badKey());
    one.other.script((request) => {
      windows.push(request.number);
      return says("Hi");
    });
    expect((await one.agent.runConversation(hi)).completed).toBe(true);
    expect(windows).toEqual([128_000, 32_000, 1]);
  });

  it("brings its own headers, window and name with it, and says what happened [20:R5.11]", async () => {
    await using one = await withFallback({
      second: { headers: { "X-Own": "of the second" }, limits: { contextWindow: 64_000 } },
    });
    one.server.script(badKey());
    one.other.script(says("Hi"));
    await one.agent.runConversation(hi);
    const [request] = one.other.requests;
    expect([request?.model, request?.headers["x-own"]]).toEqual(["backup", "of the second"]);
    const notices = one.events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
    expect(notices).toEqual(["test-model at Custom failed (auth); now using backup via Other."]);
    const usage = one.events.find((event) => event.type === "usage");
    expect(usage).toMatchObject({ contextWindow: 64_000 });
    expect(one.events.find((event) => event.type === "target-change")).toMatchObject({ model: "backup" });
  });

  it.each([
    [true, { model: "test-model", first: 2, second: 0 }],
    [false, { model: "backup", first: 1, second: 1 }],
  ])(
    "is left alone when a refused login can be renewed (%s), and used at once when not [20:A5.2]",
    async (canRenew, expected) => {
      const credential: CredentialHandle = {
        id: "login",
        source: "auth.json",
        masked: "***",
        allowedHosts: ["127.0.0.1"],
        authorize: () => Promise.resolve({ authorization: "Bearer token-0123456789" }),
        refresh: () => Promise.resolve(canRenew),
        secrets: [],
      };
      const named = { provider: "openai-codex", providerLabel: "OpenAI Codex" };
      await using one = await withFallback({
        protocol: "codex_responses",
        target: { ...named, credential },
        remedies: { credentialRecovery: () => new CredentialRecovery({ ...named, handle: credential }) },
      });
      one.server.script(badKey());
      one.server.otherwise(says("Renewed"));
      one.other.otherwise(says("Other"));
      const ended = await one.agent.runConversation(hi);
      expect([ended.model, one.server.requests.length, one.other.requests.length]).toEqual([
        expected.model,
        expected.first,
        expected.second,
      ]);
      expect(one.clock.slept).toEqual([]);
    },
  );

  it("is used at once for answers of the wrong shape [10:ERR-7] [20:R5.5]", async () => {
    await using one = await withFallback();
    one.server.script(fails(200, { body: "<html></html>", headers: { "content-type": "text/html" } }));
    one.other.script(says("Hi"));
    expect((await one.agent.runConversation(hi)).completed).toBe(true);
    expect(one.clock.slept).toEqual([]);
  });

  it("helps when a model keeps saying nothing, with the count starting over [10:LOOP-37] [10:LOOP-26]", async () => {
    await using one = await withFallback();
    one.server.otherwise(reply([]));
    one.other.script(reply([]), says("Words"));
    expect(await one.agent.runConversation(hi)).toMatchObject({ text: "Words", model: "backup" });
    expect(one.server.requests).toHaveLength(4);
  });
});
