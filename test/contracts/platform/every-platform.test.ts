import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { loadPlatform, platformIds } from "#gateway";
import { proofPlatforms } from "../../../scripts/gateway-proof/crowd.ts";

/** No people write there: states of a house and calls of programs have tests of their own. */
const withoutPeople: ReadonlySet<string> = new Set(["homeassistant", "webhook"]);

describe.each(platformIds)("the platform %s", (id) => {
  it("has an adapter that names its credentials and its limits [40:ADP-1]", async () => {
    const platform = await loadPlatform(id);
    expect(platform).toMatchObject({ id, label: expect.stringMatching(/./u) });
    expect(platform?.credentials.length).toBeGreaterThan(0);
    expect(platform?.capabilities.maxLength).toBeGreaterThan(0);
  });

  it.skipIf(withoutPeople.has(id))("passes the suite of all platforms against a fake [40:ADP-3]", async () => {
    const file = new URL(`./${id.replaceAll("_", "-")}.test.ts`, import.meta.url);
    expect(await readFile(file, "utf8")).toMatch(/describePlatform\(/u);
  });

  it("can be proven to lose nothing", () => {
    expect(proofPlatforms).toContain(id);
  });
});
