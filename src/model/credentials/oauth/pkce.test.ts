import { describe, expect, test } from "vitest";
import { challengeOf, newPkce, readCallback } from "./pkce.ts";

describe("the parts of a login", () => {
  test("a challenge follows from its verifier as RFC 7636 says", () => {
    expect(challengeOf("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")).toBe(
      "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    );
    expect(newPkce().verifier).toHaveLength(43);
  });

  test.each([
    ["http://127.0.0.1/cb?code=c&state=s", { kind: "code", code: "c" }],
    ["c#s", { kind: "code", code: "c" }],
    ["c", { kind: "code", code: "c" }],
    ["?code=c&state=s", { kind: "code", code: "c" }],
    ["http://127.0.0.1/cb?error=access_denied", { kind: "refused", message: "the service answered access_denied" }],
    ["http://127.0.0.1/cb?code=c&state=other", { kind: "refused", message: "the answer belongs to another login" }],
    ["", { kind: "refused", message: "there is no code in it" }],
  ])("what is pasted: %s", (text, expected) => expect(readCallback(text, "s")).toEqual(expected));
});
