import { describe, expect, it } from "vitest";
import { showsFailure } from "./failure-flag.ts";

describe("a result that is shown as a failure [10:TOOL-3]", () => {
  it.each([
    ["terminal", '{"output":"x","exit_code":1}', true],
    ["terminal", '{"output":"Error: x","exit_code":0,"error":"warning"}', false],
    ["terminal", '{"output":"x","exit_code":-9}', true],
    ["memory", '{"error":"memory is full"}', true],
    ["web_search", '{"results":[],"error":null}', false],
    ["web_search", '{"failed":true}', true],
    ["web_search", '{"failed":[]}', false],
    ["read_file", "Error: no such file", true],
    ["read_file", "Errors are described below", false],
    ["read_file", `${"x".repeat(600)}"error":"late"`, false],
  ])("%s %s: %s", (tool, text, expected) => expect(showsFailure(tool, text)).toBe(expected));
});
