import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { testScope } from "../testing.ts";
import { openServerLog } from "./connection/server-log.ts";
import { createPackageCheck } from "./package-check.ts";
import { probeServer } from "./probe.ts";
import { fakeSettings, mcpStage } from "./testing.ts";

/** An advisory service that knows one bad package, or is out of order. */
async function advisories(status = 200) {
  const asked: unknown[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const query = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    asked.push(query);
    const vulns = query.package.name === "bad" ? [{ id: "GHSA-1" }, { id: "MAL-2026-7" }] : [{ id: "GHSA-1" }];
    response
      .writeHead(status, { "content-type": "application/json", connection: "close" })
      .end(JSON.stringify({ vulns }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return {
    asked,
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/query`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

describe("the check of packages", () => {
  it("refuses malware, lets ordinary advisories pass, and remembers for a day [30:6.3]", async () => {
    await using service = await advisories();
    const clock = new FakeClock();
    const check = createPackageCheck({ clock, logger: memoryLogger(), endpoint: service.endpoint, failClosed: false });
    const bad = { kind: "refused", reason: "the package bad is listed as malware (MAL-2026-7)" };
    expect(await check("npx", ["-y", "bad@1.0.0"], never)).toEqual(bad);
    expect(await check("npx", ["-y", "bad@1.0.0"], never)).toEqual(bad);
    expect(await check("uvx", ["fine"], never)).toEqual({ kind: "allowed" });
    expect(service.asked).toEqual([
      { package: { name: "bad", ecosystem: "npm" }, version: "1.0.0" },
      { package: { name: "fine", ecosystem: "PyPI" } },
    ]);
    await clock.advance(25 * 60 * 60 * 1000);
    await check("npx", ["-y", "bad@1.0.0"], never);
    expect(service.asked).toHaveLength(3);
  });

  it("allows when the service is out of order, unless told to be strict [30:6.3]", async () => {
    await using service = await advisories(500);
    const parts = { clock: new FakeClock(), logger: memoryLogger(), endpoint: service.endpoint };
    expect(await createPackageCheck({ ...parts, failClosed: false })("npx", ["a"], never)).toEqual({ kind: "allowed" });
    expect((await createPackageCheck({ ...parts, failClosed: true })("npx", ["a"], never)).kind).toBe("refused");
  });
});

describe("the log of a server", () => {
  it("has a header per start, hides secrets, and is set aside when full [30:MCP-04]", async () => {
    await using stage = await mcpStage();
    const options = {
      folder: join(stage.home, "logs"),
      now: () => 0,
      redact: (text: string) => text.replace("hunter2", "***"),
    };
    openServerLog("a/b", options).write("password hunter2\n");
    const path = join(options.folder, "mcp-a_b.log");
    expect(await readFile(path, "utf8")).toBe("--- 1970-01-01T00:00:00.000Z a/b ---\npassword ***\n");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await writeFile(path, "x".repeat(5 * 1024 * 1024));
    openServerLog("a/b", options).write("next\n");
    expect((await stat(`${path}.1`)).size).toBe(5 * 1024 * 1024);
    expect(await readFile(path, "utf8")).toContain("next\n");
  });
});

describe("a probe", () => {
  it("lists what a server offers, registers nothing and leaves nothing running [30:MCP-05]", async () => {
    await using stage = await mcpStage();
    const pidFile = join(stage.home, "pid");
    const catalogue = await probeServer(fakeSettings("s", { pidFile }), stage.deps, never);
    expect(catalogue.tools.map((tool) => tool.name)).toContain("echo");
    expect(stage.registry.snapshot().tools.size).toBe(0);
    const pid = Number(await readFile(pidFile, "utf8"));
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
});

describe("pins that cannot be read", () => {
  it("keep the server's tools out rather than forgetting what was pinned [30:6.3]", async () => {
    await using stage = await mcpStage();
    await writeFile(join(stage.home, "mcp-pins.json"), "{ damaged");
    const servers = stage.open([fakeSettings("s"), fakeSettings("t", {}, { trust: "trusted" })]);
    await servers.ready(testScope(), never);
    const names = [...stage.registry.snapshot().tools.keys()];
    expect(names.filter((name) => name.startsWith("mcp_s_"))).toEqual([]);
    expect(names).toContain("mcp_t_echo");
    expect(stage.logger.lines.some((line) => line.level === "error")).toBe(true);
  });
});
