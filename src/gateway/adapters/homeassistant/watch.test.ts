import { describe, expect, it } from "vitest";
import { Watch, type WatchRules } from "./watch.ts";

const nothing: WatchRules = {
  domains: new Set(),
  entities: new Set(),
  ignored: new Set(),
  all: false,
  cooldownMs: 30_000,
};
const change = (entity: string, was: string, is: string, attributes = {}) => ({
  data: { entity_id: entity, old_state: { state: was }, new_state: { state: is, attributes } },
});

describe("changes in Home Assistant", () => {
  it("are told to nobody who did not ask [40:A-HA-1]", () => {
    const watch = new Watch(nothing);
    const told = Array.from({ length: 100 }, (_, index) => watch.read(change(`light.l${index}`, "off", "on"), index));
    expect(told.every((one) => one === undefined)).toBe(true);
  });

  it("of a watched kind name the device and its states, not too often [40:A-HA-2]", () => {
    const watch = new Watch({ ...nothing, domains: new Set(["light"]) });
    expect(watch.read(change("light.a", "off", "on"), 0)?.text).toBe(
      "[Home Assistant] light.a (light.a): turned on (was off)",
    );
    expect(watch.read(change("light.a", "on", "off"), 29_999)).toBeUndefined();
    expect(watch.read(change("light.a", "off", "on"), 30_000)?.entity).toBe("light.a");
    expect(watch.read(change("light.b", "on", "on"), 0)).toBeUndefined();
  });

  it("of an ignored device are never told [40:A-HA-3]", () => {
    const watch = new Watch({ ...nothing, all: true, ignored: new Set(["sensor.noise"]) });
    expect(watch.read(change("sensor.noise", "1", "2"), 0)).toBeUndefined();
    const attributes = { friendly_name: "Kitchen", unit_of_measurement: "°C" };
    expect(watch.read(change("sensor.t", "20", "21", attributes), 0)?.text).toContain(
      "Kitchen (sensor.t): 20°C → 21°C",
    );
  });
});
