import { describe, expect, it } from "vitest";
import type { MemoryProvider } from "./provider.ts";
import { onlyReads } from "./provider-tools.ts";

const silent = { name: "diary" } as MemoryProvider;

describe("whether a call of a provider's tool only reads", () => {
  it.each(["diary_search", "mem_list", "recall", "profile_get", "honcho_context"])("%s does", (tool) => {
    expect(onlyReads(silent, tool, {})).toBe(true);
  });

  it.each(["diary_add", "remember", "conclude", "mem_store", "searchable_write", "forget"])(
    "%s does not, as far as anybody knows",
    (tool) => {
      expect(onlyReads(silent, tool, {})).toBe(false);
    },
  );

  it("the action counts before the name of the tool", () => {
    expect(onlyReads(silent, "store", { action: "search" })).toBe(true);
    expect(onlyReads(silent, "mem_search", { action: "add" })).toBe(false);
  });

  it("the provider's own word counts before both", () => {
    const sure = { ...silent, isReadOnlyCall: (name: string) => name === "diary_add" };
    expect(onlyReads(sure, "diary_add", {})).toBe(true);
    expect(onlyReads(sure, "diary_search", {})).toBe(false);
  });
});
