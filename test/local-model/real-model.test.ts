import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { constrainedCalls } from "./constrained-calls.ts";
import { ownTools } from "./own-tools.ts";
import { missing, type RealModel, serveRealModel } from "./real-model.ts";

const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });

describe.skipIf(missing !== undefined)("a real model on this machine", { timeout: 120_000 }, () => {
  let model: RealModel;
  beforeAll(async () => {
    model = await serveRealModel();
  }, 120_000);
  afterAll(() => model?.[Symbol.asyncDispose]());

  it("streams its answer in pieces that make up the whole, with real counts", async () => {
    const body = { messages: [user("Name three colours.")], stream_options: { include_usage: true } };
    const events = (await (await model.send({ ...body, stream: true })).text())
      .split("\n\n")
      .filter((event) => event.startsWith("data: {"))
      .map((event) => JSON.parse(event.slice("data: ".length)));
    const pieces = events.flatMap((event) =>
      event.choices.map((choice: { delta: { content?: string } }) => choice.delta.content ?? ""),
    );
    const whole = await model.ask(body);
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.join("")).toBe(whole.text);
    expect(events.at(-1).usage.completion_tokens).toBe(whole.usage.completion);
    expect(whole.usage.completion).toBeLessThanOrEqual(24);
    expect(whole.usage.cached).toBe(whole.usage.prompt - 1);
  });

  it("evaluates only what is new in the second turn", async () => {
    const long = "The ferry leaves at nine and comes back at five. ".repeat(60);
    const first = await model.ask({ messages: [user(`${long}\nWhen does it leave?`)] });
    expect(first.usage.prompt).toBeGreaterThan(600);
    const question = "And when is it back?";
    const second = await model.ask({
      messages: [user(`${long}\nWhen does it leave?`), assistant(first.text), user(question)],
    });
    const evaluated = second.usage.prompt - second.usage.cached;
    // The question, the marks of two messages, and the last token of the answer, which nobody had to read before.
    expect(evaluated).toBeLessThanOrEqual(question.split(" ").length * 2 + 16);
  });

  it("keeps two conversations apart and both in memory", async () => {
    const [one, other] = [user("Talk about tea."), user("Talk about the moon and its light.")];
    const [a, b] = await Promise.all([model.ask({ messages: [one] }), model.ask({ messages: [other] })]);
    const again = await Promise.all([
      model.ask({ messages: [one, assistant(a.text), user("Go on.")] }),
      model.ask({ messages: [other, assistant(b.text), user("Go on.")] }),
    ]);
    for (const { usage } of again) expect(usage.cached).toBeGreaterThan(usage.prompt / 2);
    expect(await model.ask({ messages: [one] })).toMatchObject({ text: a.text });
  });

  it("serves more sessions than it has slots, one after the other", async () => {
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((number) =>
        model.ask({ messages: [user(`Count to ${number}.`)], max_tokens: 6, user: `s${number}` }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });

  it("frees its slots when callers leave, in the middle of an answer and in the middle of reading", async () => {
    const stops = [new AbortController(), new AbortController()];
    const long = "The ferry leaves at nine. ".repeat(250);
    const [writing, reading] = [
      model.send({ messages: [user("Write a very long story.")], max_tokens: 4000, stream: true }, stops[0]?.signal),
      model.send({ messages: [user(long)], max_tokens: 4000 }, stops[1]?.signal),
    ];
    await (await writing).body?.getReader().read();
    for (const stop of stops) stop.abort();
    await expect(reading).rejects.toThrow();
    // Both slots would be taken for minutes.
    const next = await Promise.all(["a", "b"].map((text) => model.ask({ messages: [user(text)], max_tokens: 1 })));
    expect(next.map(({ status }) => status)).toEqual([200, 200]);
  });

  it("refuses a prompt that does not fit, with the real numbers", async () => {
    const answer = await model.ask({ messages: [user("word ".repeat(9000))] });
    expect(answer.status).toBe(400);
    expect(answer.error.code).toBe("context_length_exceeded");
    expect(answer.error.message).toMatch(/maximum context length is 8192 tokens, but the messages have 90\d\d tokens/);
  });

  it("gives the exact tokens of prompt and answer, with their probabilities", async () => {
    const body = { messages: [user("What is the capital of France?")], return_token_ids: true, logprobs: true };
    const answer = await model.ask(body);
    expect(answer.tokens).toHaveLength(answer.usage.completion);
    expect(answer.promptTokens).toHaveLength(answer.usage.prompt);
    expect(answer.logprobs).toHaveLength(answer.tokens.length);
    expect(Math.max(...answer.logprobs)).toBeLessThanOrEqual(0);
    // The next turn begins with these very tokens, not with another way to cut the same text.
    const next = await model.ask({ ...body, messages: [...body.messages, assistant(answer.text), user("Sure?")] });
    const both = [...answer.promptTokens, ...answer.tokens];
    expect(next.promptTokens.slice(0, both.length)).toEqual(both);
  });

  it("writes calls that are valid by the schemas of our own tools", async () => {
    const report = await constrainedCalls(model, await ownTools(20), { count: 2, maxTokens: 120 });
    expect(report.faults).toEqual([]);
    expect(report.valid).toBeGreaterThanOrEqual(1);
  }, 240_000);

  it("answers in JSON that fits a schema", async () => {
    const schema = {
      type: "object",
      properties: { city: { type: "string", maxLength: 20 }, people: { type: "integer", minimum: 1, maximum: 9999 } },
      required: ["city", "people"],
    };
    const answer = await model.ask({
      messages: [user("A city and how many people live there.")],
      response_format: { type: "json_schema", json_schema: { schema } },
      max_tokens: 80,
    });
    expect(JSON.parse(answer.text)).toEqual({ city: expect.any(String), people: expect.any(Number) });
  });

  it("answers nobody without the token", async () => {
    const { port } = await model.server.address(new AbortController().signal);
    const response = await fetch(`http://127.0.0.1:${port}/v1/models`, { headers: { authorization: "Bearer guess" } });
    expect(response.status).toBe(401);
  });
});
