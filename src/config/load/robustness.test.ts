import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { configRoot } from "../sections/root.ts";
import { TempHome } from "../testing.ts";

const keys = Object.keys(configRoot.fields);
const inner = [
  "enabled",
  "mode",
  "timeout",
  "model",
  "provider",
  "base_url",
  "api_key",
  "extra",
  "a",
  "0",
  "token",
  "models",
  "tools",
];

const value = fc.letrec((tie) => ({
  scalar: fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.double(),
    fc.constant(null),
    fc.constantFrom("off", "yes", "[1", `\${X}`, "1e3"),
  ),
  tree: fc.oneof(
    { depthSize: "small" },
    tie("scalar"),
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...inner), tie("tree"), { maxKeys: 4 }),
  ),
})).tree;

test("[20:R7.8] [20:R7.9] whatever stands in the file, a load gives complete settings and leaves the file alone", async () => {
  using temp = new TempHome();
  const tree = fc.dictionary(fc.constantFrom(...keys, "other", "provider", "max_turns"), value, { maxKeys: 6 });
  await fc.assert(
    fc.asyncProperty(tree, async (settings) => {
      temp.write("config.yaml", stringify(settings));
      const before = temp.hashOf("config.yaml");
      const { config, warnings } = await temp.load({ rememberGood: false });
      expect(typeof config.agent.max_turns).toBe("number");
      expect(config.delegation.max_iterations).toBeGreaterThan(0);
      for (const warning of warnings) expect(warning.message).not.toBe("");
      expect(temp.hashOf("config.yaml")).toBe(before);
    }),
    { numRuns: 60 },
  );
});

test("[20:R7.8] whatever bytes the file holds, a load does not fail", async () => {
  using temp = new TempHome();
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), fc.uint8Array()), async (content) => {
      temp.write("config.yaml", content);
      temp.write(".env", content);
      const { config } = await temp.load({ rememberGood: false });
      expect(config._config_version).toBeTypeOf("number");
    }),
    { numRuns: 50 },
  );
});
