import { expect, it } from "vitest";
import { readConfigTable } from "./generate-config.ts";

it("[20:R7.12] the table of the configuration is what the schema says (run: node --conditions=source --import tsx scripts/generate-config.ts)", () => {
  const { found, expected } = readConfigTable();
  expect(found).toBe(expected);
});
