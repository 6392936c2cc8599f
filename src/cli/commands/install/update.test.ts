import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { HermesHome } from "#foundation/files/paths";
import { compareVersions } from "../../compare-versions.ts";
import { runCli, temporaryHome } from "../../testing.ts";

describe("hermes update", () => {
  it.each([
    ["1.2.3", "1.2.3", 0],
    ["1.10.0", "1.9.9", 1],
    ["1.0.0-beta.1", "1.0.0", -1],
    ["1.0.0", "1.0.0-beta.1", 1],
    ["0.1.0", "0.0.0-source", 1],
  ])("compares %s with %s", (left, right, expected) => {
    expect(compareVersions(left, right)).toBe(expected);
  });

  it("--check changes nothing and says by 10 that there is a newer version [20:R8.17]", async () => {
    let newest = "99.0.0";
    const server = createServer((_request, response) => response.end(JSON.stringify({ version: newest })));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { home, remove } = temporaryHome();
    mkdirSync(home);
    const env = { HERMES_UPDATE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
    try {
      const run = await runCli(["update", "--check", "--json"], { home, env });
      expect(run.code).toBe(10);
      expect(JSON.parse(run.stdout)).toMatchObject({ newest: "99.0.0", has_update: true });
      // The banner of the chat tells of it from then on.
      const { updateNotice } = await import("../../chat/screen-facts.ts");
      const hermesHome = new HermesHome(home);
      expect(await updateNotice(hermesHome)).toContain("Hermes 99.0.0 is there");
      newest = "0.0.0-a";
      expect((await runCli(["update", "--check"], { home, env })).code).toBe(0);
      expect(await updateNotice(hermesHome)).toBeUndefined();
    } finally {
      await new Promise<void>((resolve) => void server.close(() => resolve()));
      remove();
    }
  });
});
