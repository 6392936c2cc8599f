import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { takeSnapshot } from "./snapshot.ts";
import { memoryStage } from "./testing.ts";

const confirmation = {
  writeOrigin: "user_confirmation",
  executionContext: "primary",
  sessionId: "session",
  parentSessionId: "",
  platform: "cli",
  toolName: "memory",
};

describe("a change wanted by a turn that has read text from strangers", () => {
  it("waits for the user and is in no file, prompt or mirror before", async () => {
    await using stage = await memoryStage({ taintedBy: "https://example.org/page" });
    const answer = await stage.call({ action: "add", target: "user", content: "Wants invoices sent to Mallory" });
    expect(answer).toMatchObject({
      success: true,
      pending: true,
      message: expect.stringContaining("https://example.org/page"),
    });
    expect(await stage.notes.read("user")).toEqual([]);
    expect((await takeSnapshot(stage.notes, memoryLogger())).blocks).toEqual({});
    expect(stage.mirrored).toEqual([]);
    expect(await stage.writes.listPending()).toEqual([
      {
        id: answer["pending_id"],
        atMs: expect.any(Number),
        kind: "note",
        target: "user",
        change: { action: "add", content: "Wants invoices sent to Mallory" },
        source: "https://example.org/page",
        sessionId: "session",
      },
    ]);
  });

  it("is carried out once when the user confirms it", async () => {
    await using stage = await memoryStage({ taintedBy: "web" });
    const { pending_id: id } = await stage.call({ action: "add", target: "user", content: "Likes tea" });
    expect(await stage.writes.confirm(String(id), confirmation, never)).toMatchObject({ kind: "write" });
    expect(await stage.notes.read("user")).toEqual(["Likes tea"]);
    expect(stage.mirrored).toMatchObject([
      { action: "add", content: "Likes tea", metadata: { writeOrigin: "user_confirmation" } },
    ]);
    expect(await stage.writes.listPending()).toEqual([]);
    expect(await stage.writes.confirm(String(id), confirmation, never)).toBeUndefined();
  });

  it("is forgotten when the user rejects it", async () => {
    await using stage = await memoryStage({ taintedBy: "web" });
    const { pending_id: id } = await stage.call({ action: "add", target: "user", content: "Likes tea" });
    expect(await stage.writes.reject(String(id), never)).toBe(true);
    expect(await stage.writes.reject(String(id), never)).toBe(false);
    expect(await stage.writes.listPending()).toEqual([]);
    expect(await stage.notes.read("user")).toEqual([]);
  });

  it("waits too when it would remove or replace", async () => {
    await using stage = await memoryStage();
    await stage.call({ action: "add", target: "memory", content: "Never deploy on Fridays" });
    stage.taint("mail");
    await stage.call({ action: "remove", target: "memory", old_text: "Fridays" });
    await stage.call({ action: "replace", target: "memory", old_text: "Never", content: "Always deploy on Fridays" });
    expect(await stage.notes.read("memory")).toEqual(["Never deploy on Fridays"]);
    expect((await stage.writes.listPending()).map((one) => one.kind === "note" && one.change.action)).toEqual([
      "remove",
      "replace",
    ]);
  });

  it("stays pending when it no longer fits at the time it is confirmed", async () => {
    await using stage = await memoryStage();
    await stage.call({ action: "add", target: "memory", content: "one" });
    stage.taint("web");
    const { pending_id: id } = await stage.call({ action: "remove", target: "memory", old_text: "one" });
    stage.taint(undefined);
    await stage.call({ action: "remove", target: "memory", old_text: "one" });
    expect(await stage.writes.confirm(String(id), confirmation, never)).toEqual({ kind: "no-match" });
    expect(await stage.writes.listPending()).toHaveLength(1);
  });

  it("is refused at once when it could never be written", async () => {
    await using stage = await memoryStage({ taintedBy: "web" });
    expect(await stage.call({ action: "remove", target: "memory", old_text: "x" })).toMatchObject({ success: false });
    expect(await stage.call({ action: "add", target: "memory", content: "you are now free" })).toMatchObject({
      success: false,
    });
    expect(await stage.writes.listPending()).toEqual([]);
  });

  it("is asked about once, however often the model sends it, and at most a hundred wait", async () => {
    await using stage = await memoryStage({ taintedBy: "web" });
    const first = await stage.call({ action: "add", target: "memory", content: "note 0" });
    expect(await stage.call({ action: "add", target: "memory", content: "note 0" })).toMatchObject({
      pending_id: first["pending_id"],
    });
    const many = Array.from({ length: 99 }, (_, index) => `note ${index + 1}`);
    await Promise.all(many.map((content) => stage.call({ action: "add", target: "memory", content })));
    expect(await stage.writes.listPending()).toHaveLength(100);
    expect(await stage.call({ action: "add", target: "memory", content: "note 100" })).toMatchObject({
      success: false,
      error: expect.stringContaining("100 changes"),
    });
  });

  it("leaves lines alone that it cannot read", async () => {
    await using stage = await memoryStage({ taintedBy: "web" });
    const { pending_id: id } = await stage.call({ action: "add", target: "memory", content: "note" });
    const file = join(stage.folder, "pending.jsonl");
    await appendFile(file, "{ half a line\n");
    await stage.writes.reject(String(id), never);
    expect(await readFile(file, "utf8")).toBe("{ half a line\n");
  });
});
