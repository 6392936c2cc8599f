import { describe, expect, it } from "vitest";
import { likeLiteral, placeholders } from "./database.ts";
import { numberedParameters } from "./dialect.ts";

describe("the SQL of the other database", () => {
  it("numbers the parameters and leaves quoted question marks alone", () => {
    expect(numberedParameters("a = ? AND b = 'what?' AND c = ?")).toBe("a = $1 AND b = 'what?' AND c = $2");
    expect(numberedParameters("x = 'it''s ?' OR y = ?")).toBe("x = 'it''s ?' OR y = $1");
  });

  it("lists placeholders and escapes wildcards", () => {
    expect(placeholders(3)).toBe("?, ?, ?");
    expect(likeLiteral("50%_a\\b")).toBe("50\\%\\_a\\\\b");
  });
});
