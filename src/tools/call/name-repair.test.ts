import { describe, expect, it } from "vitest";
import { repairToolName } from "./name-repair.ts";

const known = new Set(["browser_click", "todo", "web_search", "terminal", "read_file", "write_file"]);

describe("a tool name that does not exist", () => {
  it.each([
    ["browser_click", "browser_click"],
    ["BrowserClick_tool", "browser_click"],
    ["TodoTool_tool", "todo"],
    ["websearch", "web_search"],
    ["Web-Search", "web_search"],
    ["read file", "read_file"],
    ["ReadFile", "read_file"],
    ["TERMINAL", "terminal"],
    ["totally_unknown_xyz", undefined],
    ["write_files", undefined],
    ["read_fil", undefined],
    ["reed_file", undefined],
    ["TermTool", undefined],
    ["", undefined],
  ])("%j is meant as %j [10:LOOP-32] [30:REG-55]", (name, meant) => {
    expect(repairToolName(name, known)).toBe(meant);
  });

  it("that two tools could be meant by is nobody's", () => {
    expect(repairToolName("ReadFile", new Set(["read_file", "readfile"]))).toBeUndefined();
  });
});
