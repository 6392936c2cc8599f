import { expect, it } from "vitest";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { fakeTool } from "../testing.ts";
import type { BuiltinDeps } from "./builtin-deps.ts";
import { createBuiltinTools } from "./index.ts";

it("a file whose tools cannot be made costs only its own, and is named in the log [30:REG-11]", () => {
  const logger = memoryLogger();
  const files = {
    first: () => [fakeTool("first")],
    broken: () => {
      throw new Error("no such part");
    },
    last: () => [fakeTool("last")],
  };
  const made = createBuiltinTools({} as BuiltinDeps, logger, files);
  expect(made.map((tool) => tool.name)).toEqual(["first", "last"]);
  expect(logger.lines).toMatchObject([{ level: "warn", fields: { file: "broken", error: "no such part" } }]);
});
