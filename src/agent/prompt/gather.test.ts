import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { loadConfig } from "#config";
import { HermesHome } from "#foundation/files/paths";
import { never } from "#foundation/lifecycle/abort";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { fakeTool, listingOf, registryOf } from "#tools/testing";
import { gatherPrompt } from "./gather.ts";

it("[10:PROMPT-3] [10:PROMPT-6] the skills index needs a tool that serves skills, and guidance comes from the tools", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-gather-"));
  const home = new HermesHome(folder);
  const loaded = await loadConfig({ home, env: { HOME: folder }, cwd: folder });
  const gather = async (serves: "skills" | "notes") => {
    const tool = fakeTool("one", { serves, guidance: "Use it." });
    return await gatherPrompt(
      { loaded, home, logger: memoryLogger() },
      {
        cwd: folder,
        surface: "cli",
        listing: await listingOf(registryOf(tool, fakeTool("two")).registry),
        model: "m",
        provider: "p",
        startedAtMs: 0,
        rootSessionId: undefined,
        skipsFiles: true,
        systemMessage: undefined,
        memory: undefined,
        providerBlock: undefined,
        skills: { indexBlock: () => Promise.resolve("INDEX") },
        managedServices: () => Promise.resolve([]),
        warn: () => undefined,
      },
      never,
    );
  };
  expect(await gather("skills")).toMatchObject({ skillsIndex: "INDEX", toolGuidance: ["Use it."] });
  expect(await gather("notes")).not.toHaveProperty("skillsIndex");
  await rm(folder, { recursive: true });
});
