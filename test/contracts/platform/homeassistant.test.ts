import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { loadPlatform } from "#gateway";
import { startHomeAssistantServer } from "../../fakes/platforms/homeassistant-server.ts";
import { connectedTo } from "./suite.ts";

const platform = await loadPlatform("homeassistant");
const settings = { "homeassistant.watch_domains": ["light"] };

// Its events are states and its answers notifications, without people and files: the suite of chats does not fit.
describe("the platform homeassistant", () => {
  it("tells of watched devices, also after the line broke [40:A-HA-2]", { timeout: 30_000 }, async () => {
    await using server = await startHomeAssistantServer();
    const env = { HASS_URL: server.url, HASS_TOKEN: server.token };
    await using at = await connectedTo(platform, { env, settings });
    server.change("light.a", "off", "on");
    server.change("switch.b", "off", "on");
    await expect.poll(() => at.ports.admitted.map(({ text }) => text)).toEqual([expect.stringContaining("light.a")]);
    expect(at.ports.admitted[0]?.source).toMatchObject({ chatId: "ha_events", userId: "homeassistant" });
    server.dropSockets();
    await expect.poll(() => server.sockets(), { timeout: 15_000 }).toBe(1);
    server.change("light.c", "off", "on");
    await expect.poll(() => at.ports.admitted.length).toBe(2);
  });

  it("keeps an event that cannot be written down, before those after it [40:SCL-18] [40:SCL-20]", async () => {
    await using server = await startHomeAssistantServer();
    const env = { HASS_URL: server.url, HASS_TOKEN: server.token };
    await using at = await connectedTo(platform, { env, settings, failingAdmissions: 1 });
    server.change("light.a", "off", "on");
    server.change("light.b", "off", "on");
    await expect
      .poll(() => at.ports.admitted.map(({ text }) => text), { timeout: 30_000 })
      .toEqual([expect.stringContaining("light.a"), expect.stringContaining("light.b")]);
  });

  it("tells what changed while nobody listened, once, and nothing of the time before the first start", async () => {
    await using server = await startHomeAssistantServer();
    const env = { HASS_URL: server.url, HASS_TOKEN: server.token };
    server.change("light.old", "off", "on");
    const first = await connectedTo(platform, { env, settings });
    server.change("light.heard", "off", "on");
    await expect
      .poll(() => first.ports.admitted.map(({ text }) => text))
      .toEqual([expect.stringContaining("light.heard")]);
    await first[Symbol.asyncDispose]();
    server.change("light.missed", "off", "on");
    server.change("switch.unwatched", "off", "on");
    await using second = await connectedTo(platform, { env, settings }, first.ports.positions);
    server.repeat();
    server.change("light.next", "off", "on");
    await expect.poll(() => second.ports.admitted.at(-1)?.text).toContain("light.next");
    expect(second.ports.admitted.map(({ text }) => text)).toEqual([
      "[Home Assistant] light.missed (light.missed): changed while Hermes was away, now on",
      "[Home Assistant] light.next (light.next): turned on (was off)",
    ]);
  });

  it("tells what changed first while nobody listened, in a house that was empty when it started", async () => {
    await using server = await startHomeAssistantServer();
    const env = { HASS_URL: server.url, HASS_TOKEN: server.token };
    const first = await connectedTo(platform, { env, settings });
    await first[Symbol.asyncDispose]();
    server.change("light.a", "off", "on");
    await using second = await connectedTo(platform, { env, settings }, first.ports.positions);
    await expect
      .poll(() => second.ports.admitted.map(({ text }) => text))
      .toEqual([expect.stringContaining("light.a")]);
  });

  it("gives up on a wrong token [40:A-HA-4]", async () => {
    await using server = await startHomeAssistantServer();
    const connecting = connectedTo(platform, { env: { HASS_URL: server.url, HASS_TOKEN: "wrong" }, settings });
    await expect(connecting).rejects.toMatchObject({ name: "ConnectionError", isRetryable: false });
  });

  it("answers with a notification, once for each key", async () => {
    await using server = await startHomeAssistantServer();
    await using at = await connectedTo(platform, { env: { HASS_URL: server.url, HASS_TOKEN: server.token }, settings });
    const to = { platform: "homeassistant", account: "", chatId: "ha_events" };
    const message = { kind: "text", body: { text: "Lamp is on.", plain: "Lamp is on." } } as const;
    server.nextSend("accept-then-cut");
    const cut = await at.connection.send(to, message, { key: "k1", signal: never });
    expect(cut).toMatchObject({ kind: "failed", errorClass: "timeout" });
    expect(await at.connection.send(to, message, { key: "k1", signal: never })).toMatchObject({ kind: "sent" });
    expect([...server.notifications()]).toEqual([["hermes_k1", "Lamp is on."]]);
  });
});
