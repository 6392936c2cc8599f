import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readNamedEndpoints } from "../providers/custom.ts";
import { parseModelArgument } from "../providers/model-argument.ts";
import { normalizeModelName } from "../providers/models/model-name.ts";
import { readModelList } from "../providers/models/models-list.ts";
import { customEndpoint } from "../providers/records/clouds.ts";
import { ProviderRegistry } from "../providers/registry.ts";
import { readAwsFile } from "./aws/profile-file.ts";
import { readClaims } from "./oauth/jwt.ts";
import { readCallback } from "./oauth/pkce.ts";
import { readPoolEntry, writePoolEntry } from "./pool-entry.ts";
import { cleanKey } from "./usable-key.ts";

const registry = new ProviderRegistry();

describe("whatever other programs and people write", () => {
  test("any list, any settings, any pasted text is read without a throw", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, text) => {
        readModelList(value, { keep: "tools-parameter" });
        readNamedEndpoints(value, value, registry);
        readCallback(text, "state");
        readClaims(text);
        readAwsFile(text);
        parseModelArgument(text, { registry, named: [] });
        for (const profile of registry.all()) normalizeModelName(text, profile);
      }),
    );
  });

  test("a stored entry is written back with the same meaning", () => {
    const entry = fc.record(
      {
        id: fc.stringMatching(/^[0-9a-f]{6}$/),
        label: fc.string({ minLength: 1 }),
        source: fc.constantFrom("manual", "env:X", "device_code"),
        access_token: fc.string({ minLength: 4 }),
        priority: fc.integer(),
        last_status: fc.constantFrom("ok", "exhausted"),
        last_error_reset_at: fc.integer({ min: 1_700_000_000, max: 1_900_000_000 }),
        strange: fc.jsonValue(),
      },
      { requiredKeys: ["id"] },
    );
    fc.assert(
      fc.property(entry, (raw) => {
        const once = readPoolEntry(raw);
        if (once === undefined) throw new Error("not read");
        const { rest: _one, ...again } = readPoolEntry(writePoolEntry(once)) ?? { rest: {} };
        const { rest: _other, ...before } = once;
        // A token is compared by its value, since it prints as nothing.
        expect({ ...again, accessToken: undefined }).toEqual({ ...before, accessToken: undefined });
      }),
    );
  });

  test("a cleaned key is plain and keeps every character it may", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const { value } = cleanKey("X_API_KEY", text);
        expect([...value].every((one) => (one.codePointAt(0) ?? 0) <= 0x7e)).toBe(true);
        expect([...text].filter((one) => (one.codePointAt(0) ?? 0) <= 0x7e).join("")).toBe(value);
      }),
    );
  });

  test("an own endpoint's model name is never changed", () => {
    fc.assert(
      fc.property(
        fc.string().map((text) => text.trim()),
        (text) => {
          expect(normalizeModelName(text, customEndpoint)).toBe(text);
        },
      ),
    );
  });
});
