import { describe, expect, it } from "vitest";
import type { SessionId } from "./ids.ts";
import { turnDocument, unstartedTurn } from "./turn-result.ts";

const where = { sessionId: "s" as SessionId, model: "m", provider: "p", baseUrl: "", messages: [] };

describe("the document of a turn", () => {
  it("has the names that programs rely on, also for a turn that never began [20:R8.2]", () => {
    const document = turnDocument(unstartedTurn({ ...where, error: "No.", errorClass: "session_busy" }));
    expect(document).toEqual({
      schema_version: 1,
      session_id: "s",
      final_response: null,
      completed: false,
      failed: true,
      interrupted: false,
      exit_reason: "internal_error",
      error: { code: "session_busy", message: "No." },
      model: "m",
      provider: "p",
      fallback_used: false,
      api_calls: 0,
      usage: { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 },
      cost: { amount_usd: null, status: "unknown", source: "none" },
      tool_calls: [],
    });
  });
});
