import { describe, expect, it } from "vitest";
import { EventQueue, type ServedEvent } from "./event-queue.ts";

const said = (key: string, text: string): ServedEvent => ({
  type: "message",
  session_key: key,
  message_id: text,
  role: "user",
  text,
  at: "2026-01-01T00:00:00.000Z",
});

describe("the events a client polls", () => {
  it("are numbered upwards, and a page tells where the next begins [30:6.7]", () => {
    const queue = new EventQueue();
    for (const text of ["a", "b", "c"]) queue.add(said("s", text));
    const first = queue.after(0, { limit: 2 });
    expect(first.events.map(({ cursor }) => cursor)).toEqual([1, 2]);
    expect(first.next_cursor).toBe(2);
    const second = queue.after(first.next_cursor, { limit: 2 });
    expect(second).toMatchObject({ events: [{ text: "c", cursor: 3 }], next_cursor: 3 });
    expect(queue.after(3, { limit: 2 })).toEqual({ events: [], next_cursor: 3 });
  });

  it("of one conversation leave the others out, and pass over them [30:6.7]", () => {
    const queue = new EventQueue();
    queue.add(said("one", "a"));
    queue.add(said("two", "b"));
    expect(queue.after(0, { limit: 9, key: "one" })).toMatchObject({ events: [{ text: "a" }], next_cursor: 2 });
  });

  it("are a thousand at most, and what was dropped is counted [30:6.7]", () => {
    const queue = new EventQueue();
    for (let n = 1; n <= 1_005; n += 1) queue.add(said("s", String(n)));
    const page = queue.after(0, { limit: 1 });
    expect(page).toMatchObject({ events: [{ text: "6", cursor: 6 }], missed: 5 });
    expect(queue.after(5, { limit: 1 })).not.toHaveProperty("missed");
  });

  it("after a cursor of an earlier run are those still to come [30:6.7]", () => {
    const queue = new EventQueue();
    queue.add(said("s", "a"));
    expect(queue.after(900, { limit: 9 })).toEqual({ events: [], next_cursor: 1 });
  });
});
