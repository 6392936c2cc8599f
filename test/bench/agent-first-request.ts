import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadConfig, prepareHome, redactorFor } from "#config";
import { silentLogger } from "#foundation/files/logger";
import { HermesHome } from "#foundation/files/paths";
import { never } from "#foundation/lifecycle/abort";
import { systemClock } from "#foundation/time/clock";
import { estimateText } from "#model";
import { openTools, surfaceToolsets, Toolsets } from "#tools";
import { unattendedScope } from "#tools/testing";
import { createDelegateTool } from "../../src/agent/delegation/delegate-tool.ts";
import { memoryTool } from "../../src/agent/memory/memory-tool.ts";
import { gatherPrompt } from "../../src/agent/prompt/gather.ts";
import { buildPrompt } from "../../src/agent/prompt/system-prompt.ts";
import { openSkills } from "../../src/app/open-skills.ts";
import { createSessionSearchTool, type SessionSearchDeps } from "../../src/session/search/session-search-tool.ts";
import { copyShippedSkills } from "../../src/skills/hub/shipped.ts";

export interface Share {
  readonly name: string;
  readonly tokens: number;
}

export interface FirstRequest {
  readonly layers: readonly Share[];
  readonly tools: readonly Share[];
  readonly systemTokens: number;
  readonly toolTokens: number;
  /** With a short question of the user. */
  readonly totalTokens: number;
  /** Of the default toolset, not there in this program or not usable on this machine. */
  readonly absent: readonly string[];
}

/** The first request of a person who has just installed Hermes and has no keys for services; tokens of four bytes. */
export async function measureFirstRequest(repository: string): Promise<FirstRequest> {
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-bench-agent-"));
  try {
    return await measure(folder, path.join(repository, "skills"));
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function measure(folder: string, shippedSkills: string): Promise<FirstRequest> {
  const home = new HermesHome(path.join(folder, ".hermes"));
  const cwd = path.join(folder, "project");
  const env = { HOME: folder, PATH: process.env["PATH"] };
  await mkdir(cwd);
  await prepareHome(home, env);
  const loaded = await loadConfig({ home, env, cwd });
  const logger = silentLogger;
  const settingsNow = () => Promise.resolve(loaded);
  const common = {
    loaded,
    settingsNow,
    settingsStamp: () => "",
    home,
    env,
    cwd,
    userHome: folder,
    clock: systemClock,
    logger,
  };
  const redactor = redactorFor(loaded);
  await using toolbox = openTools({ ...common, version: "0.0.0", redactor, notice: () => undefined });
  await copyShippedSkills({ folder: shippedSkills, version: "0.0.0", home, logger });
  const skills = openSkills({
    ...common,
    redactor,
    variables: toolbox.variables,
    wall: (of, signal) => toolbox.wall(of, signal),
    commandEnvironment: () => env,
    shippedFolder: undefined,
    pluginSkills: () => [],
  });
  // Only its definition is asked for: no session is ever searched here.
  const sessionSearch = createSessionSearchTool({ logger } as SessionSearchDeps);
  for (const tool of [memoryTool, sessionSearch, createDelegateTool(), ...skills.tools]) toolbox.register(tool);
  const toolsets = new Toolsets(toolbox.registry.snapshot());
  const request = { surface: "cli", pluginToolsets: [], knownPluginToolsets: [], mcpServers: [] };
  const enabledToolsets = surfaceToolsets(request, toolsets);
  const listing = await toolbox.list({ enabledToolsets }, unattendedScope({ key: "bench", source: "cli", cwd }), never);
  const inputs = await gatherPrompt(
    { loaded, home, logger },
    {
      cwd,
      surface: "cli",
      listing,
      model: "claude-sonnet-4.5",
      provider: "anthropic",
      startedAtMs: Date.UTC(2026, 0, 1),
      skipsFiles: false,
      memory: undefined,
      providerBlock: undefined,
      systemMessage: undefined,
      rootSessionId: undefined,
      skills: skills.library,
      managedServices: (signal) => toolbox.managedServices(signal),
      warn: () => undefined,
    },
    never,
  );
  const prompt = buildPrompt(inputs);
  const tools = listing.definitions.map((tool) => ({ name: tool.name, tokens: estimateText(JSON.stringify(tool)) }));
  const systemTokens = estimateText(prompt.text);
  const toolTokens = tools.reduce((sum, { tokens }) => sum + tokens, 0);
  const wanted = new Set(enabledToolsets.flatMap((name) => toolsets.resolve(name)));
  return {
    layers: prompt.layers.map(({ name, length }) => ({ name, tokens: Math.ceil(length / 4) })),
    tools,
    systemTokens,
    toolTokens,
    totalTokens: systemTokens + toolTokens + estimateText("Hello, what can you do for me?"),
    absent: [...wanted].filter((name) => !listing.names.has(name)).sort(),
  };
}
