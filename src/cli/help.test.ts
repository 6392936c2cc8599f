import { afterAll, describe, expect, it } from "vitest";
import type { Command } from "./command.ts";
import { runCli, temporaryHome } from "./testing.ts";
import { commandTree, helpGroups } from "./tree.ts";

const location = temporaryHome();
afterAll(() => location.remove());
const hermes = (...args: string[]) => runCli(args, { home: location.home });

function* everyCommand(
  command: Command,
  path: readonly string[] = [],
): Generator<readonly [readonly string[], Command]> {
  yield [path, command];
  for (const child of command.commands ?? []) yield* everyCommand(child, [...path, child.name]);
}

describe("help", () => {
  it.each([...everyCommand(commandTree)].map(([path]) => [path.join(" ")]))("explains hermes %s", async (line) => {
    const run = await hermes(...line.split(" ").filter((word) => word !== ""), "--help");
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toMatch(new RegExp(`^Usage: hermes ${line}`.trimEnd()));
  });

  it("names every visible command once, under a heading", async () => {
    const shown = (commandTree.commands ?? [])
      .filter((command) => command.isHidden !== true)
      .map((command) => command.name);
    expect(helpGroups.flatMap((group) => group.commands).sort()).toEqual([...shown].sort());
  });

  it("is the same by word and by option, and for a group without a program of its own", async () => {
    expect((await hermes("help", "sessions", "prune")).stdout).toBe(
      (await hermes("sessions", "prune", "--help")).stdout,
    );
    expect(await hermes("debug")).toMatchObject({ code: 2, stdout: expect.stringContaining("Usage: hermes debug") });
  });

  it("gives every command a unique name among its siblings, and every option within its command", () => {
    for (const [path, command] of everyCommand(commandTree)) {
      const names = (command.commands ?? []).flatMap((child) => [child.name, ...(child.aliases ?? [])]);
      expect(new Set(names).size, path.join(" ")).toBe(names.length);
      const flags = (command.flags ?? []).flatMap(({ name, short }) => [name, ...(short === undefined ? [] : [short])]);
      expect(new Set(flags).size, path.join(" ")).toBe(flags.length);
    }
  });

  it("answers --version everywhere, as text and as a document [20:A8.10]", async () => {
    expect((await hermes("config", "--version")).stdout).toMatch(/^hermes \S+ \(Node /);
    expect(JSON.parse((await hermes("version", "--json")).stdout)).toMatchObject({
      schema_version: 1,
      node: process.versions.node,
    });
  });

  it("says mistakes as a document when one was asked for [20:R8.5]", async () => {
    const run = await hermes("sesions", "list", "--json");
    expect(run).toMatchObject({ code: 2, stderr: "" });
    expect(JSON.parse(run.stdout)).toMatchObject({
      schema_version: 1,
      error: { code: "usage", message: expect.stringContaining("sessions") },
    });
  });
});
