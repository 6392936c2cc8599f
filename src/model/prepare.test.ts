import { describe, expect, it } from "vitest";
import { prepareRequest } from "./prepare.ts";
import { testRequest } from "./testing/target.ts";

describe("addresses and headers", () => {
  it("keeps parameters of the base address on every request [20:R1.17]", async () => {
    const { url } = await prepareRequest(testRequest({ target: { query: { "api-version": "2025-04-15" } } }));
    expect(url.href).toBe("https://model.example/v1/chat/completions?api-version=2025-04-15");
  });

  it("names itself unless the target has a name to give", async () => {
    const own = await prepareRequest(testRequest());
    expect(own.headers["user-agent"]).toMatch(/^HermesAgent/);
    const input = await prepareRequest(testRequest({ target: { headers: { "User-Agent": "HermesAgent/9" } } }));
    expect(input.headers["user-agent"]).toBe("HermesAgent/9");
  });
});
