import { afterEach, describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { estimateText } from "#model";
import { type Approver, type Listing, result, type Tool, Toolsets } from "#tools";
import {
  type AuditEntry,
  AvailabilityProbes,
  createGate,
  fakeTool,
  type GrantStore,
  Grants,
  listingOf,
  listTools,
  registryOf,
  runTool,
  testScope,
  YoloSwitch,
} from "#tools/testing";
import { calls, says } from "../../../test/fakes/model-server/index.ts";
import { type ChildApprovals, childApprover, isChildTask } from "./child-approver.ts";
import { childListing } from "./child-listing.ts";
import { createDelegateTool } from "./delegate-tool.ts";
import { boundedSettings } from "./settings.ts";
import { childGoal, delegationResult, openDelegation, parentDelegates } from "./testing.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

/** What speaks for the main agent. */
const blockedTools = ["clarify", "memory", "send_message", "execute_code", "cronjob"];
const inSet = (name: string, toolset: string, changes: Partial<Tool> = {}) => fakeTool(name, { toolset, ...changes });

/** A tool for every name of the preset, and one of an MCP server. */
async function everything(enabledToolsets: readonly string[]): Promise<{ listing: Listing; toolsets: Toolsets }> {
  const bare = new Toolsets(registryOf().registry.snapshot());
  const names = bare.resolve("hermes-cli").filter((name) => name !== "delegate_task");
  const { registry } = registryOf(
    ...names.map((name) => inSet(name, "core", { isForMainAgent: blockedTools.includes(name) })),
    createDelegateTool(boundedSettings({ maxSpawnDepth: 2 })),
    inSet("honcho_search", "memory", { origin: "plugin", isForMainAgent: true }),
    inSet("mcp_git_log", "mcp-git", { origin: "mcp" }),
  );
  const toolsets = new Toolsets(registry.snapshot(), {
    provider: ["honcho_search"],
    everything: ["hermes-cli", "mcp-git", "memory", "honcho_search"],
  });
  const probes = new AvailabilityProbes(new FakeClock());
  const listing = await listTools(
    { scope: testScope(), snapshot: registry.snapshot(), toolsets, probes },
    { enabledToolsets },
    never,
  );
  return { listing, toolsets };
}

const leaf = { role: "leaf", inheritsMcpTools: true } as const;

describe("the tools of a child", () => {
  it.each([
    ["inherited", undefined],
    ["asked for by the preset", ["hermes-cli"]],
    ["asked for by a toolset of the user", ["everything"]],
    [
      "asked for by name of the blocked toolsets",
      ["memory", "clarify", "messaging", "code_execution", "delegation", "all"],
    ],
  ])(
    "never include what no child may have: %s [30:W-06] [10:A9.4] [10:DELEG-2] [10:DELEG-3] [10:D51] [30:9.1-4]",
    async (_how, toolsets) => {
      const { listing, toolsets: known } = await everything(["hermes-cli", "provider", "mcp-git"]);
      const child = childListing(listing, toolsets === undefined ? leaf : { ...leaf, toolsets }, known);
      for (const name of [...blockedTools, "delegate_task", "honcho_search"]) {
        expect([...listing.names]).toContain(name);
        expect([...child.names]).not.toContain(name);
      }
      expect(child.definitions.map(({ name }) => name)).toEqual([...child.names]);
      expect([...child.tools.keys()]).toEqual([...child.names]);
      if (toolsets === undefined) expect(child.names.size).toBe(listing.names.size - blockedTools.length - 2);
    },
  );

  it("are at most those of the parent [10:A9.8] [10:DELEG-2]", async () => {
    const { listing, toolsets } = await everything(["terminal"]);
    expect([...childListing(listing, { ...leaf, toolsets: ["web"] }, toolsets).names]).toEqual([]);
    expect([...childListing(listing, { ...leaf, toolsets: ["web", "terminal"] }, toolsets).names]).toEqual([
      "process",
      "terminal",
    ]);
  });

  it("keep the parent's MCP tools when narrowed, unless that is switched off [10:DELEG-2]", async () => {
    const { listing, toolsets } = await everything(["terminal", "mcp-git"]);
    const wanted = { ...leaf, toolsets: ["terminal"] };
    expect([...childListing(listing, wanted, toolsets).names]).toContain("mcp_git_log");
    expect([...childListing(listing, { ...wanted, inheritsMcpTools: false }, toolsets).names]).not.toContain(
      "mcp_git_log",
    );
  });

  it("include delegate_task for an orchestrator only [10:DELEG-2]", async () => {
    const { listing, toolsets } = await everything(["hermes-cli"]);
    const child = childListing(listing, { ...leaf, role: "orchestrator" }, toolsets);
    expect([...child.names]).toContain("delegate_task");
    expect([...child.names]).not.toContain("memory");
  });

  it("name toolsets that do not exist", async () => {
    const { listing, toolsets } = await everything(["hermes-cli"]);
    expect(childListing(listing, { ...leaf, toolsets: ["webb", "file"] }, toolsets).unknownToolsets).toEqual(["webb"]);
  });

  it("have texts that speak of what is left", async () => {
    const { registry } = registryOf(
      fakeTool("terminal"),
      fakeTool("memory", { isForMainAgent: true }),
      fakeTool("guide", {
        patchDefinition: (definition, visible) => ({ ...definition, description: `With ${[...visible].join(", ")}` }),
      }),
    );
    const listing = await listingOf(registry);
    const child = childListing(listing, leaf, new Toolsets(registry.snapshot()));
    expect(child.definitions.find(({ name }) => name === "guide")?.description).toBe("With guide, terminal");
  });
});

describe("a dangerous command in a child [10:A9.9]", () => {
  async function run(approvals: ChildApprovals) {
    const asked: string[] = [];
    const audit: AuditEntry[] = [];
    const person: Approver = { ask: (request) => Promise.resolve(asked.push(request.summary) > 0 ? "once" : "deny") };
    const clock = new FakeClock();
    const logger = memoryLogger();
    const store: GrantStore = { load: () => [], add: () => Promise.resolve() };
    const gate = createGate({
      approver: childApprover(person, () => approvals),
      grants: new Grants(store, { clock, logger }),
      yolo: new YoloSwitch({ forProcess: false, isAllowed: true }),
      mode: () => "manual",
      surfaceRules: { cron: "deny", headless: "deny" },
      permissions: undefined,
      location: () => ({
        cwd: "/w",
        home: "/home/u",
        hermesHome: "/home/u/.hermes",
        tempDirs: ["/tmp"],
        workspace: "/w",
      }),
      isContained: () => false,
      audit: (entry) => void audit.push(entry),
      clock,
    });
    const terminal = fakeTool("terminal", {
      execute: async (args, context) => {
        const { taskId, scope, signal } = context;
        const location = { tool: "terminal", taskId, scope, signal, cwd: "/w", terminalKind: "local" };
        return result(await gate.checkCommand(String(args["command"]), location));
      },
    });
    const one = await openDelegation({ tools: [terminal] });
    open.push(one);
    let number = 0;
    one.server.onRequest((request) => {
      if (childGoal(request) === undefined) return parentDelegates({ goal: "clean" })(request);
      number += 1;
      return number === 1 ? calls("terminal", { command: "rm -rf ./build" }) : says("Done.");
    });
    await one.agent.runConversation({ userMessage: "Go" });
    expect(delegationResult(one.recorded).results[0]?.status).toBe("completed");
    const said = String(one.stored[0]?.messages.find((message) => message.role === "tool")?.content);
    return { asked, audit, said };
  }

  it("is refused without asking anybody, and written down", async () => {
    const { asked, audit, said } = await run("deny");
    expect(asked).toEqual([]);
    expect(said).toContain('"blocked"');
    expect(audit).toMatchObject([{ verdict: "blocked", command: "rm -rf ./build" }]);
    expect(isChildTask(audit[0]?.taskId ?? "")).toBe(true);
  });

  it("runs once where that was wished, and is written down", async () => {
    const { asked, audit, said } = await run("approve");
    expect(asked).toEqual([]);
    expect(said).toContain('"run"');
    expect(audit).toMatchObject([{ verdict: "run", choice: "once" }]);
  });

  it("asks the person at the parent where that was wished", async () => {
    expect((await run("forward")).asked).toEqual(["rm -rf ./build"]);
  });

  it("requests of the main agent are not touched", async () => {
    const person: Approver = { ask: () => Promise.resolve("session") };
    const approver = childApprover(person, () => "deny");
    const request = { taskId: "main" } as Parameters<Approver["ask"]>[0];
    expect(await approver.ask(request, new AbortController().signal)).toBe("session");
  });
});

describe("the definition", () => {
  it("states limits and blocked tools, and stays small [30:1.5]", async () => {
    const tool = createDelegateTool();
    const text = JSON.stringify({ name: tool.name, description: tool.description, parameters: tool.parameters });
    expect(estimateText(text)).toBeLessThan(350);
    expect(tool.description).toContain("up to 3");
    expect(tool.description).toContain("Depth limit: 1");
    for (const name of blockedTools) expect(tool.description).toContain(name);
    expect(text).not.toContain("acp_command");
    expect(text).not.toContain("orchestrator");
  });

  it("offers roles where they help, and programs that are listed", async () => {
    const settings = boundedSettings({ maxSpawnDepth: 2, acpCommands: ["gemini"] });
    const tool = createDelegateTool(settings);
    const shown = JSON.stringify(tool.parameters);
    expect(shown).toContain('"enum":["leaf","orchestrator"]');
    expect(shown).toContain('"enum":["gemini"]');
  });

  it("without the agent it answers that it needs it", async () => {
    await expect(runTool(createDelegateTool(), {})).rejects.toThrow("Do the work yourself");
  });
});
