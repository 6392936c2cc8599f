import { describe, expect, it } from "vitest";
import { never } from "../lifecycle/abort.ts";
import { openLoopback } from "./loopback.ts";

describe("the page a browser comes back to", () => {
  it("answers only the callback with the right state, and escapes what it shows [30:6.6]", async () => {
    await using callback = await openLoopback({ port: 0, path: "/callback", state: "secret" });
    const get = async (path: string) => {
      const response = await fetch(new URL(path, callback.redirectUri), { headers: { connection: "close" } });
      return { status: response.status, text: await response.text() };
    };
    expect((await get("/other")).status).toBe(404);
    expect((await get("/callback?code=1&state=wrong")).status).toBe(400);
    const refused = await get(
      "/callback?state=secret&error=denied&error_description=%3Cscript%3Ealert(1)%3C%2Fscript%3E",
    );
    expect(refused.text).toContain("&lt;script&gt;");
    expect(refused.text).not.toContain("<script>");
    expect((await callback.answer(never)).get("error")).toBe("denied");
  });
});
