import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mayMatch, shapeRules } from "./secret-shapes.ts";

/** Texts of the pieces that secrets are made of, in any order and case, so that every rule matches often. */
const pieces = fc.constantFrom(
  ...[
    "-----BEGIN ",
    "RSA PRIVATE KEY",
    "-----",
    "-----END ",
    "sk-",
    "AIza",
    "gho_",
    "SG.",
    "AKIA",
    "eyJ",
    "npm_",
    "hf_",
  ],
  ...["fc-", "github_pat_", "xoxb-", "bb_live_", "dop_v1_", "gAAAA", "hsk-", "sk_live_", "12345678901", ":", "\n", " "],
  ...["Authorization: ", "proxy-authorization:", "Bearer ", "basic ", "x-api-key: ", "X-Auth-Token:", '"', "'", '\\"'],
  ...["api_key", "clientSecret", "access_token", "passwd", "credentials", "=", " = ", "OPENAI_API_KEY", "MY_TOKEN"],
  ...["postgres://", "https://", "user:", "@", "?", "&", "token=", "code=", "İ", "ſ", "K", "none"],
);
const filler = fc.stringMatching(/^[A-Za-z0-9_]{0,40}$/);
const upperOrLower = fc.constantFrom(
  (text: string) => text,
  (text: string) => text.toUpperCase(),
  (text: string) => text.toLowerCase(),
);
const texts = fc
  .tuple(fc.array(fc.oneof(pieces, filler), { maxLength: 12 }), upperOrLower)
  .map(([parts, change]) => change(parts.join("")));

describe("the shapes of secrets", () => {
  it("no rule finds a secret where its signs say that there is none", () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const rule of shapeRules) {
          const found = [...text.matchAll(rule.pattern)].filter(
            ([, lead = "", value = ""]) => value !== "" && rule.mask(value, lead) !== undefined,
          );
          if (found.length > 0) expect(mayMatch(rule, text.toLowerCase()), String(rule.pattern)).toBe(true);
        }
      }),
      { numRuns: 3_000 },
    );
  });
});
