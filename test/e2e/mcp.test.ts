import { type ChildProcess, spawn } from "node:child_process";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { testScope, toolContext } from "#tools/testing";
import { mcpStage, settingsOf } from "../../src/tools/mcp/testing.ts";

const everything = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url),
);

/** The reference server over HTTP, on a port of its own, gone afterwards. */
async function serveHttp(mode: "streamableHttp" | "sse") {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", () => resolve()));
  const { port } = probe.address() as AddressInfo;
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  const child: ChildProcess = spawn(process.execPath, [everything, mode], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on("data", (chunk: Buffer) => chunk.toString().includes(String(port)) && resolve());
    child.once("exit", () => reject(new Error("the reference server ended")));
  });
  return {
    port,
    async [Symbol.asyncDispose]() {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await gone;
    },
  };
}

async function exercise(raw: Record<string, unknown>) {
  await using stage = await mcpStage();
  const servers = stage.open([settingsOf("all", { ...raw, trust: "trusted" })]);
  await servers.ready(testScope(), never);
  const tools = stage.registry.snapshot().tools;
  const call = async (name: string, args: Record<string, unknown>) =>
    (await tools.get(name)?.execute(args, toolContext()))?.content as Record<string, unknown>;
  return {
    status: servers.status[0],
    names: [...tools.keys()],
    echo: await call("mcp_all_echo", { message: "hi" }),
    image: await call("mcp_all_get_tiny_image", {}),
    resources: await call("mcp_all_list_resources", {}),
    prompts: await call("mcp_all_list_prompts", {}),
  };
}

function expectAll(seen: Awaited<ReturnType<typeof exercise>>, transport: string): void {
  expect(seen.status).toMatchObject({ connected: true, transport });
  expect(seen.names.length).toBeGreaterThan(8);
  expect(seen.echo).toEqual({ result: "Echo: hi" });
  expect(seen.image["attachments"]).toMatchObject([{ type: "image", mime: "image/png" }]);
  expect((seen.resources["resources"] as unknown[]).length).toBeGreaterThan(0);
  expect((seen.prompts["prompts"] as unknown[]).length).toBeGreaterThan(0);
}

describe("the reference MCP server", () => {
  it("works over standard streams [30:6.4]", async () => {
    expectAll(await exercise({ command: process.execPath, args: [everything, "stdio"] }), "stdio");
  });

  it("works over streamable HTTP [30:6.4]", async () => {
    await using server = await serveHttp("streamableHttp");
    expectAll(await exercise({ url: `http://127.0.0.1:${server.port}/mcp` }), "http");
  });

  it("works over SSE, found by falling back from streamable HTTP [30:6.1]", async () => {
    await using server = await serveHttp("sse");
    expectAll(await exercise({ url: `http://127.0.0.1:${server.port}/sse` }), "sse");
  });
});
