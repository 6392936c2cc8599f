import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { OpenSession } from "../api.ts";
import { builtinCommands } from "../commands/index.ts";
import { viewText } from "../commands/view-text.ts";
import { type HarnessOptions, openHarness } from "../testing/harness.ts";
import { bestMatches, fuzzyScore } from "./fuzzy.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

const signal = new AbortController().signal;

async function session(input: HarnessOptions = {}) {
  const one = await openHarness(input);
  open.push(one);
  await mkdir(join(one.folder, "src", "deep folder"), { recursive: true });
  await writeFile(join(one.folder, "src", "user-service.ts"), "x".repeat(2_048));
  await writeFile(join(one.folder, "src", "deep folder", "a b.ts"), "x");
  await writeFile(join(one.folder, "README.md"), "x");
  return { ...one, session: await one.open() };
}

const texts = async (on: OpenSession, line: string) => (await on.complete(line, signal)).map((one) => one.text);
/** The line as it would be after taking the completion. */
const taken = async (on: OpenSession, line: string) =>
  (await on.complete(line, signal)).map((one) => line.slice(0, one.from) + one.text);

describe("completion", () => {
  it("offers commands with what they do [20:R10.21]", async () => {
    const { session: on } = await session();
    const found = await on.complete("/mo", signal);
    expect(found).toEqual([
      {
        from: 0,
        text: "/model",
        label: "/model [model] [--provider p] [--global]",
        detail: expect.stringContaining("model"),
      },
    ]);
    expect(await texts(on, "/sn")).toEqual(["/snapshot"]);
    expect(await texts(on, "/res")).toEqual(["/new".replace("new", "reset"), "/resume"]);
    expect(await texts(on, "/appro")).toEqual([]);
  });

  it("offers the commands that help lists and dispatch knows, and no others [20:R9.1]", async () => {
    const { session: on } = await session();
    const submitted = await on.submit({ text: "/help all" });
    const help = submitted.kind === "command" ? viewText(submitted.view) : "";
    const listed = new Set([...help.matchAll(/`\/([a-z][a-z-]*)/g)].map(([, name = ""]) => name));
    for (const { name, gatewayOnly } of builtinCommands) {
      const offered = (await texts(on, `/${name}`)).includes(`/${name}`);
      expect([name, offered, listed.has(name)]).toEqual([name, gatewayOnly !== true, gatewayOnly !== true]);
    }
  });

  it("offers skills, plugins and own commands as well [20:R10.21]", async () => {
    const { session: on } = await session({
      settings: { quickCommands: { zed: "x" } },
      deps: { pluginCommands: () => [{ name: "zoo", description: "Animals", handler: () => null }] },
      services: () => ({
        skills: {
          commands: () => Promise.resolve([{ slug: "zip", description: "Packs" }]),
          invoke: () => Promise.resolve(undefined),
        },
      }),
    });
    expect(await texts(on, "/z")).toEqual(["/zed", "/zoo", "/zip"]);
  });

  it("offers subcommands, models, skins, personalities and sessions [20:R10.21]", async () => {
    const { session: on, store } = await session({ settings: { personalities: ["pirate", "poet"] } });
    expect(await taken(on, "/busy q")).toEqual(["/busy queue"]);
    expect(await taken(on, "/model te")).toEqual(["/model test-model"]);
    expect(await taken(on, "/skin mo")).toEqual(["/skin mono"]);
    expect(await taken(on, "/personality p")).toEqual(["/personality pirate", "/personality poet"]);
    await store.messages.append("20260101_000000_0badf00d" as never, [{ role: "user", content: "x" }], {
      source: "cli",
    });
    await store.sessions.setTitle("20260101_000000_0badf00d" as never, "Deploy the app");
    expect(await taken(on, "/resume dep")).toEqual(["/resume Deploy the app"]);
    expect(await taken(on, "/resume Deploy the")).toEqual(["/resume Deploy the app"]);
  });

  it("offers paths with their size, folders to go on with [20:R10.21]", async () => {
    const { session: on } = await session();
    expect(await on.complete("look at ./src/us", signal)).toEqual([
      { from: 8, text: "./src/user-service.ts", label: "user-service.ts", detail: "2 KB" },
    ]);
    expect(await taken(on, "look at src/")).toEqual(["look at src/deep folder/", "look at src/user-service.ts"]);
    expect(await texts(on, "just words")).toEqual([]);
    expect(await texts(on, "/nowhere/at/all")).toEqual([]);
  });

  it("offers references, and files by a part of their name [20:R10.21]", async () => {
    const { session: on } = await session();
    expect(await texts(on, "see @")).toEqual(["@diff", "@staged", "@file:", "@folder:", "@git:", "@url:"]);
    expect(await texts(on, "see @st")).toContain("@staged");
    expect(await taken(on, "see @usser")).toEqual(["see @file:src/user-service.ts"]);
    expect(await taken(on, "see @file:READ")).toEqual(["see @file:README.md"]);
    expect(await taken(on, "see @folder:sr")).toEqual(["see @folder:src/"]);
    expect(await texts(on, "@a b.ts".slice(0, 2))).toContain('@file:"src/deep folder/a b.ts"');
  });
});

describe("the score of a path", () => {
  it("prefers the name, then its beginning, its inside, the path, first letters, letters in order [20:R10.21]", () => {
    const scores = ["user-service.ts", "user", "service", "src/", "us", "usvc"].map((typed) =>
      fuzzyScore(typed, "src/user-service.ts"),
    );
    expect(scores).toEqual([100, 80, 60, 40, 80, 25]);
    expect(fuzzyScore("usr", "lib/UserServiceReader.java")).toBe(35);
    expect(fuzzyScore("xyz", "src/user-service.ts")).toBe(0);
  });

  it("never offers what does not fit, nor more than asked", () => {
    const path = fc.stringMatching(/^[a-z/.-]{1,20}$/);
    fc.assert(
      fc.property(fc.string({ maxLength: 6 }), fc.array(path), fc.nat(10), (typed, paths, limit) => {
        const found = bestMatches(typed, paths, limit);
        expect(found.length).toBeLessThanOrEqual(limit);
        for (const one of found) expect(fuzzyScore(typed, one)).toBeGreaterThan(0);
      }),
    );
  });
});
