import { describe, expect, it } from "vitest";
import { freezeSession, sessionText } from "./session-line.ts";

const startedAtMs = Date.UTC(2026, 1, 3, 23, 5);

describe("the session line [10:PROMPT-15]", () => {
  it("names weekday, date and time in the configured zone", () => {
    expect(freezeSession({ startedAtMs, timeZone: "Asia/Tokyo" })).toEqual({
      startedLine: "Conversation started: Wednesday, 4 February 2026, 08:05 (Asia/Tokyo)",
    });
  });

  it("falls back to the machine's zone, and names it, when the configured one is empty or unknown", () => {
    const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    for (const timeZone of ["", "Atlantis/Centre"])
      expect(freezeSession({ startedAtMs, timeZone }).startedLine.endsWith(`(${own})`)).toBe(true);
  });

  it("shows the root id when given, and model and provider when known", () => {
    const frozen = freezeSession({ startedAtMs, timeZone: "UTC", rootSessionId: "root-1" });
    expect(sessionText(frozen, { model: "m", provider: "p" })).toBe(
      "Conversation started: Tuesday, 3 February 2026, 23:05 (UTC)\nSession ID: root-1\nModel: m\nProvider: p",
    );
    expect(sessionText(freezeSession({ startedAtMs, timeZone: "UTC" }), { model: "", provider: "" })).toBe(
      "Conversation started: Tuesday, 3 February 2026, 23:05 (UTC)",
    );
  });
});
