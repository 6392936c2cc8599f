import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { says } from "../../../test/fakes/model-server/index.ts";
import type { ContextEngine } from "./engine.ts";
import { selectEngine } from "./engine-choice.ts";
import { answered, testCompressor } from "./testing/builders.ts";
import { openStage } from "./testing/stage.ts";

const root = join(import.meta.dirname, "../../..");
const text = readFileSync(join(root, "docs/guide/extending/add-a-context-engine.md"), "utf8");

function block(heading: string): string {
  const from = text.indexOf(`\`\`\`${heading}\n`) + heading.length + 4;
  return text.slice(from, text.indexOf("\n```", from) + 1);
}

it("the engine of the guide can be selected and keeps a conversation going [10:COMP-38]", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hermes-guide-"));
  try {
    const file = join(folder, "index.mjs");
    await writeFile(file, block("js file=forgetful/index.mjs"));
    const loaded = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
      register(context: { registerContextEngine(engine: unknown): void }): void;
    };
    const offered: unknown[] = [];
    loaded.register({ registerContextEngine: (engine) => void offered.push(engine) });
    const warnings: string[] = [];
    const engine: ContextEngine = selectEngine({
      name: "forgetful",
      offered,
      builtin: () => testCompressor().engine,
      warn: (warning) => void warnings.push(warning),
    });
    expect([engine.name, warnings]).toEqual(["forgetful", []]);
    await using stage = await openStage({ history: answered(30, 2_000), engine });
    stage.server.script(says("Fine."));
    expect(await stage.agent.runConversation({ userMessage: "Next." })).toMatchObject({ completed: true });
    expect(stage.conversation.history).toHaveLength(12);
    expect(stage.records).toMatchObject([{ newSessionId: "part-2", messagesAfter: 11 }]);
    stage.server.assertClean();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it("the files the guide names exist", () => {
  const paths = [...text.matchAll(/`(src\/[\w/.-]+)`/g)].map((match) => match[1] ?? "");
  expect(paths.length).toBeGreaterThan(0);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
