import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { FakeClock } from "#foundation/testing/fake-clock";
import { LocalDetection } from "./local-detection.ts";

describe("what is remembered about local servers", () => {
  let folder = "";
  let server: Server;
  let baseUrl = "";
  let answer: (path: string) => unknown;
  const asked: string[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "hermes-local-"));
    asked.length = 0;
    server = createServer((request, response) => {
      asked.push(request.url ?? "");
      const body = answer(request.url ?? "");
      response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json", connection: "close" });
      response.end(JSON.stringify(body ?? {}));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  afterEach(async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });
  const file = () => join(folder, "cache", "local-servers.json");
  const studio = { models: [{ key: "m", loaded_instances: [{ config: { context_length: 65_536 } }] }] };

  it("a start asks nothing that another start learned, until it is five minutes old", async () => {
    const clock = new FakeClock();
    answer = (path) => (path === "/api/v1/models" ? studio : undefined);
    const first = await new LocalDetection(clock, file()).detect(baseUrl, "m", never);
    expect(first).toMatchObject({ server: { kind: "lm-studio" }, contextWindow: 65_536 });
    const count = asked.length;
    expect(await new LocalDetection(clock, file()).detect(baseUrl, "m", never)).toEqual(first);
    expect(asked).toHaveLength(count);
    await clock.advance(300_000);
    await new LocalDetection(clock, file()).detect(baseUrl, "m", never);
    expect(asked.length).toBeGreaterThan(count);
  });

  it("a server that is none we know is left in peace too, but one that did not answer is asked again", async () => {
    const clock = new FakeClock();
    answer = () => undefined;
    expect(await new LocalDetection(clock, file()).detect(baseUrl, "m", never)).toBeUndefined();
    const count = asked.length;
    expect(await new LocalDetection(clock, file()).detect(baseUrl, "m", never)).toBeUndefined();
    expect(asked).toHaveLength(count);
    await rm(file());
    const silent = new LocalDetection(clock, file());
    expect(await silent.detect("http://127.0.0.1:9/v1", "m", never)).toBeUndefined();
    expect(await silent.detect(baseUrl, "m", never)).toBeUndefined();
    expect(asked.length).toBeGreaterThan(count);
  });

  it("a file that makes no sense is no memory", async () => {
    answer = (path) => (path === "/api/v1/models" ? studio : undefined);
    for (const text of [
      "{",
      "[]",
      JSON.stringify({ [baseUrl]: { atMs: 0, server: { kind: "toaster", models: [] } } }),
    ]) {
      const location = join(folder, "broken.json");
      await writeFile(location, text);
      const found = await new LocalDetection(new FakeClock(0), location).detect(baseUrl, "m", never);
      expect(found?.server.kind).toBe("lm-studio");
    }
  });
});
