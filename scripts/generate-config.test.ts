import { expect, it } from "vitest";
import { readGenerated } from "./generate-config.ts";

it("[20:R7.12] what is written down of the configuration is what the schema says (run: npm run generate:config)", async () => {
  for (const { found, expected } of await readGenerated()) expect(found).toBe(expected);
});
