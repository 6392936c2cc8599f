import { expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { says, startModelServer } from "../fakes/model-server/index.ts";
import { startWhatsAppBridgeServer } from "../fakes/platforms/whatsapp-bridge-server.ts";
import { Stage } from "./support/stage.ts";

it("a person links the device, writes to themselves, and is answered there by the program [40:ADP-1]", async () => {
  await using scope = new Scope();
  const model = scope.adopt(await startModelServer());
  const bridge = scope.adopt(await startWhatsAppBridgeServer());
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    `whatsapp: { backend: bridge, bridge_url: "${bridge.url}", allowed_users: ["4915100000001"] }`,
  ].join("\n");
  const home = scope.adopt(await Stage.open({ config }));
  const env = { WHATSAPP_BRIDGE_TOKEN: bridge.token };
  bridge.enter("logged_out");
  const linking = home.run(["gateway", "setup", "whatsapp"], { env });
  await expect
    .poll(() => bridge.calls.filter(({ path }) => path === "/health").length, { timeout: 30_000 })
    .toBeGreaterThan(2);
  bridge.enter("connected");
  const setup = await linking;
  expect(setup).toMatchObject({ code: 0 });
  expect(setup.stdout).toContain("▄▀▄ code to scan ▄▀▄");
  expect(setup.stdout).toContain("ABCD-1234");
  expect(setup.stdout).toContain("WhatsApp may block the account");
  expect(setup.stdout).toContain("linked as Owner");
  expect(setup.stdout).not.toContain("\u001b[2J");
  expect(setup.stdout).not.toContain(bridge.token);
  model.script(says("Hello **owner**."));
  home.start(["gateway", "run"], { env });
  await expect.poll(() => bridge.calls.some(({ path }) => path === "/messages"), { timeout: 30_000 }).toBe(true);
  const own = "4915100000001@s.whatsapp.net";
  bridge.message({ chatId: own, senderId: own, fromMe: true, text: "hi" });
  await expect.poll(() => bridge.shown(), { timeout: 30_000 }).toEqual(["*Hermes*\nHello *owner*."]);
});

it("says in plain words that the bridge is closed to it", async () => {
  await using scope = new Scope();
  const bridge = scope.adopt(await startWhatsAppBridgeServer());
  const home = scope.adopt(await Stage.open({ config: `whatsapp: { backend: bridge, bridge_url: "${bridge.url}" }` }));
  const setup = await home.run(["gateway", "setup", "whatsapp"], { env: { WHATSAPP_BRIDGE_TOKEN: "another-word" } });
  expect(setup.code).toBe(1);
  expect(setup.stderr).toMatch(/^The WhatsApp bridge does not accept the credentials/u);
  expect(setup.stderr).not.toContain("another-word");
});
