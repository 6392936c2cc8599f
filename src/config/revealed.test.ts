import { describe, expect, it } from "vitest";
import { Secret } from "#foundation/secrets/secret";
import { absolutePath } from "./absolute-path.ts";
import { revealed } from "./revealed.ts";

describe("settings for others", () => {
  it("have their credentials readable, at any depth [30:6.1]", () => {
    expect(revealed({ env: { KEY: new Secret("abc") }, args: ["x", new Secret("d")], timeout: 3 })).toEqual({
      env: { KEY: "abc" },
      args: ["x", "d"],
      timeout: 3,
    });
  });

  it.each([
    [".", "/work"],
    ["sub", "/work/sub"],
    ["/abs", "/abs"],
    ["~", "/home/me"],
    ["~/x", "/home/me/x"],
    ["~x", "/work/~x"],
  ])("name the folder %s as %s [30:4.1]", (written, expected) => {
    expect(absolutePath(written, "/work", "/home/me")).toBe(expected);
  });
});
