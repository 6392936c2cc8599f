import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Secret } from "#foundation/secrets/secret";
import { FakeWebServer } from "../../../../test/fakes/web-server/index.ts";
import type { ApprovalGate, Finding } from "../../contract/approval-request.ts";
import { riskOf } from "../../media/home-assistant.ts";
import { runTool } from "../../testing.ts";
import { createHomeAssistantTools } from "./home-assistant.tool.ts";

let house: FakeWebServer;
const asked: { summary: string; findings: readonly Finding[] }[] = [];
let isAllowed = true;
const gate: ApprovalGate = {
  checkCommand: () => Promise.reject(new Error("no command here")),
  checkFindings: (summary, findings) => {
    asked.push({ summary, findings });
    return Promise.resolve(
      isAllowed ? { kind: "run" } : { kind: "blocked", reason: "The user said no.", isHardline: false, findings },
    );
  },
};

beforeAll(async () => {
  house = await FakeWebServer.start({
    "/api/states": {
      body: [
        { entity_id: "light.kitchen", state: "on", attributes: { friendly_name: "Kitchen lamp" } },
        { entity_id: "light.hall", state: "off", attributes: { friendly_name: "Lamp", area: "Hall" } },
        { entity_id: "sensor.kitchen", state: "21", attributes: { friendly_name: "Kitchen warmth" } },
      ],
    },
    "/api/states/light.kitchen": {
      body: {
        entity_id: "light.kitchen",
        state: "on",
        attributes: { brightness: 3 },
        last_changed: "a",
        last_updated: "b",
        context: 1,
      },
    },
    "/api/services": {
      body: [{ domain: "light", services: { turn_on: { description: "On", fields: { brightness: {} } } } }],
    },
    "/api/services/light/turn_on": { body: [{ entity_id: "light.kitchen", state: "on", attributes: {} }] },
    "/api/services/lock/unlock": { body: [] },
  });
});
afterAll(() => house[Symbol.asyncDispose]());
beforeEach(() => {
  house.seen.length = 0;
  asked.length = 0;
  isAllowed = true;
});

async function call(name: string, args: Record<string, unknown>): Promise<unknown> {
  const tools = createHomeAssistantTools({
    access: () => ({ url: house.origin, token: new Secret("house-token") }),
    gate,
  });
  const tool = tools.find((one) => one.name === name);
  return tool === undefined ? undefined : (await runTool(tool, args)).content;
}

describe("the smart home", () => {
  it("[30:3.21] entities are listed by domain and by room", async () => {
    expect(await call("ha_list_entities", { domain: "light", area: "kitchen" })).toEqual({
      result: { count: 1, entities: [{ entity_id: "light.kitchen", state: "on", friendly_name: "Kitchen lamp" }] },
    });
    expect(await call("ha_list_entities", { area: "hall" })).toMatchObject({ result: { count: 1 } });
    expect(house.seen[0]?.headers.authorization).toBe("Bearer house-token");
  });

  it("[30:3.21] the state of one entity, and what services there are", async () => {
    expect(await call("ha_get_state", { entity_id: "light.kitchen" })).toEqual({
      result: {
        entity_id: "light.kitchen",
        state: "on",
        attributes: { brightness: 3 },
        last_changed: "a",
        last_updated: "b",
      },
    });
    expect(await call("ha_list_services", { domain: "light" })).toEqual({
      result: {
        count: 1,
        domains: [{ domain: "light", services: { turn_on: { description: "On", fields: ["brightness"] } } }],
      },
    });
    await expect(call("ha_get_state", { entity_id: "light.kitchen/../../config" })).rejects.toThrow(
      "Invalid entity_id",
    );
  });

  it("[30:3.21] an action is performed with its data, and needs nobody's word when it is harmless", async () => {
    const done = await call("ha_call_service", {
      domain: "light",
      service: "turn_on",
      entity_id: "light.kitchen",
      data: '{"brightness":9}',
    });
    expect(done).toEqual({
      result: {
        success: true,
        service: "light.turn_on",
        affected_entities: [{ entity_id: "light.kitchen", state: "on" }],
      },
    });
    expect(house.seen[0]?.json).toEqual({ brightness: 9, entity_id: "light.kitchen" });
    expect(asked).toEqual([]);
    await expect(call("ha_call_service", { domain: "light", service: "turn_on", data: "[1]" })).rejects.toThrow(
      "JSON object",
    );
  });

  it("[30:3.27 row 23] the form of a domain is checked before the block list", async () => {
    await expect(call("ha_call_service", { domain: "shell_command/../light", service: "turn_on" })).rejects.toThrow(
      "Invalid domain format",
    );
    for (const domain of ["shell_command", "command_line", "python_script", "pyscript", "hassio", "rest_command"])
      await expect(call("ha_call_service", { domain, service: "x" })).rejects.toThrow("not called");
    expect(house.seen).toEqual([]);
  });

  it("[30:3.21] unlocking a door goes through the gate, and a refusal means nothing is sent", async () => {
    await call("ha_call_service", { domain: "lock", service: "unlock", entity_id: "lock.front" });
    expect(asked).toEqual([
      { summary: "lock.unlock lock.front", findings: [expect.objectContaining({ severity: "ask" })] },
    ]);
    house.seen.length = 0;
    isAllowed = false;
    await expect(call("ha_call_service", { domain: "lock", service: "unlock" })).rejects.toThrow("said no");
    expect(house.seen).toEqual([]);
  });

  it.each([
    ["homeassistant", "restart", [], true],
    ["homeassistant", "stop", [], true],
    ["homeassistant", "toggle", ["lock.front"], true],
    ["homeassistant", "turn_on", ["light.a"], false],
    ["alarm_control_panel", "alarm_disarm", ["alarm_control_panel.home"], true],
    ["cover", "open_cover", ["cover.garage_door"], true],
    ["cover", "open_cover", [], true],
    ["cover", "open_cover", ["cover.blind"], false],
    ["lock", "lock", ["lock.front"], false],
  ])("[30:3.21] %s.%s on %j needs approval: %s", (domain, service, entityIds, isRisky) => {
    expect(riskOf({ domain, service, entityIds }) !== undefined).toBe(isRisky);
  });

  it("[30:3.0] without a token the tools are unavailable", async () => {
    const tools = createHomeAssistantTools({ access: () => undefined, gate });
    expect(await tools[0]?.check?.(new AbortController().signal)).toEqual({ reason: "HASS_TOKEN is not set" });
  });
});
