import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { WebSocketServer } from "ws";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { systemClock } from "#foundation/time/clock";
import type { Platform } from "#gateway";
import { loadDeviceLibrary, serveDevice } from "#gateway/testing";
import { freePort } from "../../fakes/free-port.ts";

type Config = Parameters<NonNullable<Platform["variantFor"]>>[0];
/** Shared by all tests of this machine: what is installed once is there. */
const packages = path.join(tmpdir(), "hermes-test-packages");

it("the real library is installed by its lock, draws codes, and says hello as WhatsApp expects it [40:ADP-4]", {
  timeout: 240_000,
}, async ({ signal }) => {
  const library = await loadDeviceLibrary(packages, () => undefined, signal);
  const drawing = library.drawn("2@abcdefgh,ijklmnop");
  expect(drawing.split("\n").length).toBeGreaterThan(10);
  // Nothing in it moves a cursor or changes a colour.
  expect(drawing).toMatch(/^[█▀▄ \n]+$/u);
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-device-"));
  const hellos: Buffer[] = [];
  const service = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  service.on("connection", (socket) => {
    socket.once("message", (data: Buffer) => {
      hellos.push(data);
      socket.close();
    });
  });
  const stop = new AbortController();
  try {
    await new Promise<void>((resolve) => service.once("listening", resolve));
    const { port } = service.address() as AddressInfo;
    const bridge = `http://127.0.0.1:${await freePort()}`;
    const whatsapp = { bridge_url: bridge, base_url: `ws://127.0.0.1:${port}/ws/chat` };
    const serving = serveDevice(
      library,
      {
        config: { whatsapp } as Config,
        token: "bridge-word-0001",
        folders: { session: path.join(folder, "session"), packages },
        clock: systemClock,
        logger: memoryLogger(),
        show: () => undefined,
      },
      stop.signal,
    );
    // A line that breaks is made again, with the same keys.
    await expect.poll(() => hellos.length, { timeout: 60_000 }).toBeGreaterThan(1);
    expect(hellos[0]?.subarray(0, 2).toString("latin1")).toBe("WA");
    const answer = await fetch(`${bridge}/health`, { headers: { authorization: "Bearer bridge-word-0001" } });
    expect(await answer.json()).toEqual({ state: "connecting" });
    stop.abort();
    await serving;
  } finally {
    stop.abort();
    service.close();
    await rm(folder, { recursive: true, force: true });
  }
});
