import { expect, it } from "vitest";
import { proveGateway } from "../../scripts/prove-gateway.ts";

it("chats lose nothing and see nothing twice while the gateway is killed [40:A-SCL-1] [40:A-SCL-2] [40:SCL-16]", {
  timeout: 180_000,
}, async ({ signal }) => {
  const proof = await proveGateway({ messages: 40, chats: 5, kills: 3, signal });
  expect(proof).toMatchObject({ kills: 3, lost: 0, doubled: 0, outOfOrder: 0 });
});
