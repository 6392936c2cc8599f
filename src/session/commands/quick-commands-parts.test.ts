import { describe, expect, it } from "vitest";
import { command, openHarness } from "../testing/harness.ts";
import { runQuickCommand } from "./quick-commands.ts";

const env = { PATH: process.env["PATH"] };
const signal = new AbortController().signal;
const run = (command: string, timeoutMs = 10_000) => runQuickCommand(command, { cwd: "/", env, timeoutMs }, signal);

describe("a quick command", () => {
  it("gives the output of its program [20:A9.6] [20:R9.8]", async () => {
    expect(await run("echo one; echo two >&2")).toEqual({ text: "one\ntwo", isError: false });
    expect(await run("true")).toEqual({ text: "(no output)", isError: false });
  });

  it("asks no model, and shows no secret [20:A9.6] [20:R9.8]", async () => {
    await using parts = await openHarness({
      settings: { quickCommands: { d: { type: "exec", command: "echo disk sk-secret; pwd" } } },
      deps: { redact: (text) => text.replaceAll("sk-secret", "***") },
    });
    const session = await parts.open();
    expect(await command(session, "/D")).toBe(`disk ***\n${parts.folder}`);
    expect(parts.server.requests).toEqual([]);
    expect(session.history).toEqual([]);
  });

  it("says how it failed [20:R9.8]", async () => {
    expect(await run("echo half; exit 3")).toEqual({ text: "half\n[exit 3]", isError: true });
  });

  it("that takes too long is stopped, with all it started [20:A9.6]", async () => {
    const ended = await run("echo begun; sleep 300 & sleep 300", 300);
    expect(ended.text).toBe("begun\nStopped after 0.3 s: the command took too long.");
    expect(ended.isError).toBe(true);
  });
});
