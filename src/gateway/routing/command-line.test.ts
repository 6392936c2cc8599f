import { describe, expect, it } from "vitest";
import { readCommandLine } from "./command-line.ts";

describe("a line in a chat", () => {
  it("is a command with its arguments [40:EVT-3] [40:A-EVT-1]", () => {
    expect(readCommandLine("/Model@MyBot gpt — fast")).toEqual({ name: "model", args: "gpt -- fast" });
    expect(readCommandLine("/stop")).toEqual({ name: "stop", args: "" });
    expect(readCommandLine("/queue one\ntwo –x")).toEqual({ name: "queue", args: "one\ntwo -x" });
  });

  it.each(["/usr/bin/env", "yes", "a /stop", "/", "/ stop", ""])("is words: %j [40:EVT-3]", (text) => {
    expect(readCommandLine(text)).toBeUndefined();
  });
});
