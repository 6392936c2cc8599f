import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { Deferred } from "#foundation/lifecycle/deferred";
import { listenTo, type SocketOptions } from "./socket.ts";

const portsWith = (queue: number): SocketOptions["ports"] =>
  ({ proxy: undefined, config: { gateway: { limits: { adapter_queue: queue } } } }) as SocketOptions["ports"];

it("a socket is not read while too many frames wait, and none is lost or overtaken [40:SCL-19]", async () => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const connected = new Deferred<WebSocket>();
  server.on("connection", (socket) => connected.resolve(socket));
  const stop = new AbortController();
  const [begun, held] = [new Deferred<void>(), new Deferred<void>()];
  const taken: number[] = [];
  const listening = listenTo(
    {
      url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
      ports: portsWith(4),
      alive: () => undefined,
      async take({ number }) {
        begun.resolve();
        await held.promise;
        taken.push(Number(number));
      },
    },
    stop.signal,
  );
  const socket = await connected.promise;
  // Far more than the buffers of the system hold.
  const frames = 60;
  const padding = "x".repeat(1_000_000);
  for (let number = 0; number < frames; number += 1) socket.send(JSON.stringify({ number, padding }));
  await begun.promise;
  // What is not read stays with the sender.
  let before = -1;
  for (; socket.bufferedAmount !== before; await new Promise((resolve) => setTimeout(resolve, 200)))
    before = socket.bufferedAmount;
  expect(socket.bufferedAmount).toBeGreaterThan(20_000_000);
  held.resolve();
  await expect.poll(() => taken.length, { timeout: 60_000 }).toBe(frames);
  expect(taken).toEqual(Array.from({ length: frames }, (_, index) => index));
  stop.abort();
  await listening;
  await new Promise((resolve) => server.close(resolve));
});
