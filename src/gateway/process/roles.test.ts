import { describe, expect, it } from "vitest";
import { rolesOf } from "./roles.ts";

describe("the roles of a process", () => {
  it("are all where none is named [40:SCL-1]", () => {
    expect([...rolesOf([], { kind: "sqlite" })]).toEqual(["ingress", "worker", "scheduler", "api"]);
    expect([...rolesOf(["api", "worker", "ingress", "scheduler"], { kind: "sqlite" })]).toHaveLength(4);
  });

  it("are those named where processes share a server [40:SCL-1]", () => {
    expect([...rolesOf(["worker", " Scheduler"], { kind: "postgres" })]).toEqual(["worker", "scheduler"]);
  });

  it("cannot be a part of them on a file of one process, and must exist [40:SCL-2]", () => {
    expect(() => rolesOf(["worker"], { kind: "sqlite" })).toThrow(/worker alone would leave work undone/u);
    expect(() => rolesOf(["cook"], { kind: "postgres" })).toThrow(/no role cook/u);
  });
});
