import { describe, expect, it } from "vitest";
import { memoryLogger } from "#foundation/testing/memory-logger";
import type { AgentEvent } from "./agent-event.ts";
import { EventBus, observerOrder } from "./event-bus.ts";

const delta: AgentEvent = { type: "text-delta", text: "Hi" };
const notice = (text: string): AgentEvent => ({ type: "notice", level: "info", text });

function stage() {
  const logger = memoryLogger();
  const bus = new EventBus(logger);
  const heard: string[] = [];
  return { logger, bus, heard, hears: (who: string) => ({ note: () => void heard.push(who) }) };
}

describe("the bus of a session", () => {
  it("tells the observers in their order, whenever they came, and then the surfaces [10:LOOP-59]", () => {
    const { bus, heard, hears } = stage();
    bus.subscribe(hears("first surface").note);
    for (const name of observerOrder.toReversed()) bus.observe(name, hears(name));
    bus.subscribe(hears("second surface").note);
    bus.emit(delta);
    expect(heard).toEqual([...observerOrder, "first surface", "second surface"]);
  });

  it("tells nobody who has left", () => {
    const { bus, heard, hears } = stage();
    const usage = bus.observe("usage", hears("usage"));
    const surface = bus.subscribe(hears("surface").note);
    expect(bus.hasListeners).toBe(true);
    usage[Symbol.dispose]();
    surface[Symbol.dispose]();
    bus.emit(delta);
    expect([heard, bus.hasListeners]).toEqual([[], false]);
  });

  it("passes over an observer that throws, and tells a surface that throws nothing more [10:LOOP-61]", () => {
    const { bus, heard, hears, logger } = stage();
    const broken = (who: string) => () => {
      heard.push(who);
      throw new Error("no screen");
    };
    bus.observe("activity", { note: broken("activity") });
    bus.subscribe(broken("broken surface"));
    bus.subscribe(hears("surface").note);
    bus.emit(delta);
    bus.emit(delta);
    expect(heard).toEqual(["activity", "broken surface", "surface", "activity", "surface"]);
    expect(logger.lines.map(({ fields }) => fields?.["who"])).toEqual(["activity", "a surface", "activity"]);
  });

  it("keeps notices for the first surface, and nothing else", () => {
    const { bus, heard } = stage();
    bus.observe("usage", { note: () => undefined });
    bus.emit(notice("said early"));
    bus.emit(delta);
    const hear = (event: AgentEvent): void => void heard.push(event.type === "notice" ? event.text : event.type);
    bus.subscribe(hear);
    bus.subscribe(hear);
    expect(heard).toEqual(["said early"]);
  });
});
