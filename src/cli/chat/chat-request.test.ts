import { describe, expect, it } from "vitest";
import type { FlagValue, Invocation } from "../command.ts";
import { readChatRequest } from "./chat-request.ts";

const read = (flags: Readonly<Record<string, FlagValue>>, isJson = false) =>
  readChatRequest({ flags, args: [], io: { env: {} }, global: { isJson } } as unknown as Invocation);

describe("what a chat line asks for", () => {
  it.each([
    [{}, false, "screen"],
    [{ query: "hi" }, false, "text"],
    [{ query: "hi", quiet: true }, false, "quiet"],
    [{ quiet: true }, false, "quiet"],
    [{ oneshot: "hi" }, false, "bare"],
    [{ oneshot: "hi", quiet: true }, false, "bare"],
    [{ query: "hi", quiet: true }, true, "json"],
    [{ query: "hi", "json-stream": true }, true, "json-stream"],
  ])("%j with --json %s is shown as %s [20:R8.8] [20:R8.9] [20:R8.10]", (flags, isJson, output) => {
    expect(read(flags, isJson).output).toBe(output);
  });

  it("takes one question; -z wins over -q [20:R8.1]", () => {
    expect(read({ query: "a" }).query).toBe("a");
    expect(read({ oneshot: "b", query: "a" }).query).toBe("b");
    expect(read({}).query).toBeUndefined();
  });

  it("takes the words after the command as the first message, but not beside a question [20:R8.7]", () => {
    const words = (args: readonly string[], flags: Readonly<Record<string, FlagValue>> = {}) =>
      readChatRequest({ flags, args, io: { env: {} }, global: { isJson: false } } as unknown as Invocation);
    expect(words(["what", "is", "new?"])).toMatchObject({ message: "what is new?", output: "screen" });
    expect(words([]).message).toBeUndefined();
    expect(() => words(["b"], { query: "a" })).toThrow(expect.objectContaining({ exitCode: 2 }));
  });

  it("needs a model where -z names a provider [20:A8.4]", () => {
    expect(() => read({ oneshot: "x", provider: "p" })).toThrow(expect.objectContaining({ exitCode: 2 }));
    expect(read({ oneshot: "x", provider: "p", model: "m" }).open).toMatchObject({ provider: "p", model: "m" });
    expect(read({ query: "x", provider: "p" }).open).toMatchObject({ provider: "p" });
  });

  it("goes on by name, by the newest of a title, or with the newest [20:R8.11]", () => {
    expect(read({ resume: "x", continue: "y" })).toMatchObject({ resume: "x" });
    expect(read({ continue: "y" }).continueFrom).toEqual({ title: "y" });
    expect(read({ continue: "" }).continueFrom).toEqual({});
    expect(read({ continue: true }).continueFrom).toEqual({});
    expect(read({}).continueFrom).toBeUndefined();
  });

  it("takes a whole number of steps and nothing else [20:R8.7]", () => {
    expect(read({ "max-turns": "30" }).open.maxSteps).toBe(30);
    for (const wrong of ["0", "-1", "1.5", "many", "", "99999999"])
      expect(() => read({ "max-turns": wrong })).toThrow(expect.objectContaining({ exitCode: 2 }));
  });

  it("is of the terminal unless tagged, and asks before it runs what is flagged [20:R8.7]", () => {
    expect(read({}).open).toMatchObject({ source: "cli", yolo: false });
    expect(read({ source: "tool", yolo: true, toolsets: ["web"], skills: ["a", "b"] }).open).toMatchObject({
      source: "tool",
      yolo: true,
      toolsets: ["web"],
      skills: ["a", "b"],
    });
  });
});
