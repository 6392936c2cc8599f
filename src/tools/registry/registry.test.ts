import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Deferred } from "#foundation/lifecycle/deferred";
import { FakeClock } from "#foundation/testing/fake-clock";
import { fakeTool, listingOf, registryOf, testScope } from "../testing.ts";
import { AvailabilityProbes } from "./availability.ts";
import { listTools } from "./listing.ts";
import { Toolsets } from "./toolsets.ts";

describe("the registry", () => {
  it("lets the later of two equals win, with a warning that names both toolsets [30:1.13-1] [30:REG-01] [30:REG-02]", () => {
    const { registry, logger } = registryOf(fakeTool("x", { toolset: "a" }), fakeTool("x", { toolset: "b" }));
    expect(registry.snapshot().tools.get("x")?.toolset).toBe("b");
    expect(logger.lines.filter((line) => line.level === "warn")).toMatchObject([{ fields: { was: "a", now: "b" } }]);
  });

  it("replaces silently within one toolset [30:REG-02]", () => {
    const { registry, logger } = registryOf(fakeTool("x"), fakeTool("x", { description: "new" }));
    expect(registry.snapshot().tools.get("x")?.description).toBe("new");
    expect(logger.lines).toEqual([]);
  });

  it("lets no lower tier take a name from a higher one, unless it was allowed to [30:1.13-2] [30:REG-03]", () => {
    const { registry, logger } = registryOf(fakeTool("terminal"));
    const plugin = fakeTool("terminal", { origin: "plugin", toolset: "p" });
    expect(registry.register(plugin)).toMatchObject({ kind: "refused" });
    expect(registry.register(fakeTool("terminal", { origin: "mcp" })).kind).toBe("refused");
    expect(logger.lines.filter((line) => line.level === "error")).toHaveLength(2);
    expect(registry.snapshot().tools.get("terminal")?.origin).toBeUndefined();
    expect(registry.register(plugin, { overrides: ["terminal"] }).kind).toBe("registered");
  });

  it("lets no MCP server take a name from another, and each renew its own [30:REG-03]", () => {
    const { registry, logger } = registryOf(fakeTool("x", { origin: "mcp", toolset: "mcp-a" }));
    expect(registry.register(fakeTool("x", { origin: "mcp", toolset: "mcp-b" })).kind).toBe("refused");
    expect(registry.snapshot().tools.get("x")?.toolset).toBe("mcp-a");
    expect(logger.lines.map(({ level }) => level)).toEqual(["error"]);
    expect(registry.register(fakeTool("x", { origin: "mcp", toolset: "mcp-a" })).kind).toBe("registered");
  });

  it("forgets a tool when its registration is disposed, and the alias with the last tool [30:REG-04]", () => {
    const { registry } = registryOf();
    const first = registry.register(fakeTool("x", { toolset: "mcp-a" }));
    registry.aliasToolset("a", "mcp-a");
    const later = registry.register(fakeTool("x", { toolset: "mcp-a" }));
    first[Symbol.dispose]();
    expect(registry.snapshot().tools.has("x")).toBe(true);
    later[Symbol.dispose]();
    expect(registry.snapshot().tools.has("x")).toBe(false);
    expect(registry.snapshot().aliases.size).toBe(0);
  });

  it("refuses names no provider accepts", () => {
    const { registry } = registryOf();
    for (const name of ["", "a b", "ü", "x".repeat(65)]) expect(registry.register(fakeTool(name)).kind).toBe("refused");
  });

  it("gives readers a snapshot that later changes do not touch [30:REG-06]", () => {
    const { registry } = registryOf(fakeTool("x"));
    const before = registry.snapshot();
    registry.register(fakeTool("y"));
    expect([...before.tools.keys()]).toEqual(["x"]);
  });
});

describe("a listing", () => {
  it("is sorted by name and holds only what can be used, asking each probe once [30:REG-20] [30:REG-30]", async () => {
    let asked = 0;
    const check = () => {
      asked += 1;
      return true as const;
    };
    const { registry } = registryOf(
      fakeTool("b", { check }),
      fakeTool("a", { check }),
      fakeTool("c", { check: () => ({ reason: "no key" }) }),
      fakeTool("d", {
        check: () => {
          throw new Error("boom");
        },
      }),
    );
    const listing = await listingOf(registry);
    expect(asked).toBe(1);
    expect(listing.definitions.map((one) => one.name)).toEqual(["a", "b"]);
    expect(listing.unavailable).toEqual([
      { name: "c", reason: "no key" },
      { name: "d", reason: "boom" },
    ]);
  });

  it("has a toolset when nothing speaks against it, and not when its check refuses or breaks [30:REG-05]", async () => {
    const broken = () => Promise.reject(new Error("cannot look"));
    const { registry } = registryOf(
      fakeTool("free", { toolset: "free" }),
      fakeTool("one", { toolset: "checked", check: broken }),
      fakeTool("two", { toolset: "checked", check: broken }),
    );
    const { tools, unavailable } = await listingOf(registry);
    expect([...tools.values()].map((tool) => tool.toolset)).toEqual(["free"]);
    expect(unavailable.map((one) => one.reason)).toEqual(["cannot look", "cannot look"]);
  });

  it("keeps the answers of probes for half a minute [30:REG-21]", async () => {
    let asked = 0;
    const check = () => {
      asked += 1;
      return true as const;
    };
    const { registry } = registryOf(fakeTool("a", { check }));
    const clock = new FakeClock();
    const snapshot = registry.snapshot();
    const probes = new AvailabilityProbes(clock);
    const source = { scope: testScope(), snapshot, toolsets: new Toolsets(snapshot), probes };
    const list = () => listTools(source, {}, new AbortController().signal);
    await list();
    await list();
    expect(asked).toBe(1);
    await clock.advance(31_000);
    await list();
    expect(asked).toBe(2);
  });

  it("asks all probes at the same time, and gives up on one that does not answer [30:REG-21]", async () => {
    const others = [new Deferred<true>(), new Deferred<true>()] as const;
    const waitsFor = (mine: Deferred<true>, other: Deferred<true>) => () => {
      mine.resolve(true);
      return other.promise;
    };
    const { registry } = registryOf(
      fakeTool("a", { check: waitsFor(others[0], others[1]) }),
      fakeTool("b", { check: waitsFor(others[1], others[0]) }),
      fakeTool("c", { check: () => new Promise<never>(() => undefined) }),
    );
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const listed = listingOf(registry);
    await vi.advanceTimersByTimeAsync(5_000);
    const { tools, unavailable } = await listed;
    expect([...tools.keys()]).toEqual(["a", "b"]);
    expect(unavailable).toEqual([{ name: "c", reason: "the check took too long" }]);
  });

  it("starts from the enabled toolsets and takes the disabled ones away [30:REG-30] [30:REG-31]", async () => {
    const { registry } = registryOf(
      fakeTool("web_search", { toolset: "web" }),
      fakeTool("web_extract", { toolset: "web" }),
      fakeTool("terminal", { toolset: "terminal" }),
      fakeTool("process", { toolset: "terminal" }),
    );
    const names = async (wanted: object) => [...(await listingOf(registry, wanted)).names];
    expect(await names({ enabledToolsets: ["web_tools"] })).toEqual(["web_extract", "web_search"]);
    expect(await names({ enabledToolsets: ["terminal_tools"] })).toEqual(["terminal"]);
    expect(await names({ enabledToolsets: [] })).toEqual([]);
    expect(await names({ disabledToolsets: ["web"] })).toEqual(["process", "terminal"]);
    expect(await names({ enabledToolsets: ["web", "terminal"], disabledToolsets: ["web"] })).toEqual([
      "process",
      "terminal",
    ]);
    expect(await names({ disabledTools: ["process"] })).toEqual(["terminal", "web_extract", "web_search"]);
    expect((await listingOf(registry, { enabledToolsets: ["nope", "web"] })).unknownToolsets).toEqual(["nope"]);
  });

  it("shows a definition as the tool patched it for what is visible, or drops it", async () => {
    const { registry } = registryOf(
      fakeTool("execute_code", {
        patchDefinition: (definition, visible) => ({ ...definition, description: [...visible].join(" ") }),
      }),
      fakeTool("gone", { patchDefinition: () => undefined }),
      fakeTool("read_file"),
      fakeTool("web_search", { check: () => ({ reason: "no key" }) }),
    );
    const listing = await listingOf(registry);
    expect(listing.definitions.map((one) => one.name)).toEqual(["execute_code", "read_file"]);
    expect(listing.definitions[0]?.description).not.toContain("web_search");
  });
});
