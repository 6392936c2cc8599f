import { mkdirSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli, temporaryHome } from "../../testing.ts";

let location: ReturnType<typeof temporaryHome>;
const hermes = (...args: string[]) => runCli(args, { home: location.home });

beforeEach(() => {
  location = temporaryHome();
  mkdirSync(location.home, { recursive: true });
});
afterEach(() => location.remove());

describe("hermes mcp with real programs", () => {
  it("says why a server does not answer", async () => {
    const run = await hermes("mcp", "add", "broken", "--command", "/nosuch/program", "--json");
    expect(run.code).toBe(1);
    expect(JSON.parse(run.stdout)).toMatchObject({
      server: "broken",
      test: { kind: "failed", reason: expect.any(String) },
    });
  });

  it("connects to a server, shows its tools and offers only some of them", async () => {
    const server = path.join(
      import.meta.dirname,
      "../../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js",
    );
    expect(
      (await hermes("mcp", "add", "everything", "--command", process.execPath, "--args", `${server},stdio`)).code,
    ).toBe(0);
    const run = await hermes("mcp", "test", "everything", "--json");
    expect(run.code).toBe(0);
    const { tools } = JSON.parse(run.stdout) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toContain("echo");
    const typed = await runCli(["mcp", "configure", "everything"], { home: location.home, typed: ["echo", ""] });
    expect(typed.code).toBe(0);
    expect((await hermes("mcp", "list")).stdout).toContain(`only ${tools.length - 1}`);
  });
});
