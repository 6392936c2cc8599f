import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { systemClock } from "#foundation/time/clock";
import { toolContext } from "#tools/testing";
import { activeProviderCommands } from "./cli-extension.ts";
import { questionsFor, readConfigSchema, setupKind } from "./config-schema.ts";
import { MemoryManager } from "./manager.ts";

const root = join(import.meta.dirname, "../../..");
const guide = readFileSync(join(root, "docs/guide/extending/add-a-memory-provider.md"), "utf8");

function block(heading: string): string {
  const start = guide.indexOf(`\`\`\`${heading}\n`);
  if (start < 0) throw new Error(`the guide has no block "${heading}"`);
  const from = start + heading.length + 4;
  return guide.slice(from, guide.indexOf("\n```", from) + 1);
}

describe("the guide to adding a memory provider, followed", () => {
  it("gives a provider that recalls what was said and answers its tool [10:7.2]", async () => {
    const home = await mkdtemp(join(tmpdir(), "hermes-guide-"));
    try {
      await writeFile(join(home, "index.mjs"), block("js file=diary/index.mjs"));
      await writeFile(join(home, "cli.mjs"), block("js file=diary/cli.mjs"));
      const load = (name: string): Promise<unknown> => import(/* @vite-ignore */ pathToFileURL(join(home, name)).href);
      const plugin = (await load("index.mjs")) as { register(context: unknown): void };
      const logger = memoryLogger();
      const manager = new MemoryManager({ clock: systemClock, logger });
      plugin.register({ registerMemoryProvider: (provider: unknown) => manager.register(provider) });
      const context = { hermesHome: home, platform: "cli" };
      await manager.activate({ sessionId: "s", context, takenToolNames: new Set() }, never);
      manager.turnMemory.sync("I live in Oslo", "Nice.");
      await manager[Symbol.asyncDispose]();

      const next = new MemoryManager({ clock: systemClock, logger });
      plugin.register({ registerMemoryProvider: (provider: unknown) => next.register(provider) });
      await next.activate({ sessionId: "s2", context, takenToolNames: new Set() }, never);
      expect(await next.turnMemory.recall("weather in Oslo today", never)).toBe("I live in Oslo -> Nice.");
      expect((await next.tools[0]?.execute({ word: "Nice" }, toolContext()))?.content).toBe(
        '{"lines":["I live in Oslo -> Nice."]}',
      );
      await next[Symbol.asyncDispose]();
      const commands = await activeProviderCommands({ active: "diary", loadCli: () => load("cli.mjs"), logger });
      expect([...(commands?.subcommands.keys() ?? [])]).toEqual(["status"]);
      expect(logger.lines).toEqual([]);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });

  it("shows settings that can be asked for [10:PROV-5]", () => {
    const schema = readConfigSchema(new Function(`return ${block("js schema")}`)());
    expect(setupKind(schema)).toBe("API key / local");
    expect(questionsFor(schema, { mode: "local" })).toMatchObject([{ key: "url", default: "http://127.0.0.1:9" }]);
  });

  it("names files that exist", () => {
    const paths = [...guide.matchAll(/`((?:src|test)\/[\w/.-]+)`/g)].map((match) => match[1] ?? "");
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(paths.length).toBeGreaterThan(3);
  });
});
