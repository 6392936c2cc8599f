import { describe, expect, it } from "vitest";
import { wantsMcp } from "./session-listing.ts";

describe("MCP servers are started", () => {
  it.each([
    ["everything is wanted", {}, {}],
    ["a toolset of a server is wanted", { enabledToolsets: ["file", "mcp-a"] }, {}],
    ["a server is wanted by its name", { enabledToolsets: ["a"] }, {}],
    ["one of its tools stands in an own toolset", { enabledToolsets: ["mine"] }, { mine: ["mcp_a_echo"] }],
    ["an own toolset stands for all", { enabledToolsets: ["mine"] }, { mine: ["deep"], deep: ["all"] }],
    ["only some are unwanted", { disabledToolsets: ["mcp-a"] }, {}],
  ])("when %s [30:6.2]", (_what, wanted, custom) => {
    expect(wantsMcp(wanted, ["a", "b"], custom)).toBe(true);
  });

  it.each([
    ["only others are wanted", { enabledToolsets: ["file", "web"] }, {}],
    ["nothing is wanted", { enabledToolsets: [] }, {}],
    ["all of them are unwanted", { disabledToolsets: ["mcp-a", "b"] }, {}],
    ["an own toolset contains only itself", { enabledToolsets: ["mine"] }, { mine: ["mine"] }],
  ])("not when %s [30:6.2]", (_what, wanted, custom) => {
    expect(wantsMcp(wanted, ["a", "b"], custom)).toBe(false);
  });

  it("not when there are none [30:6.2]", () => {
    expect(wantsMcp({}, [], {})).toBe(false);
  });
});
