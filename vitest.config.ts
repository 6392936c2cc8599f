import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Tests beside the code that start real programs: shells, browsers, servers, git. Too slow for every commit. */
const realParts = [
  "src/**/*-parts.test.ts",
  "src/tools/mcp/**/*.test.ts",
  "src/tools/browser/**/*.test.ts",
  "src/tools/terminals/**/*.test.ts",
  "src/tools/builtin/{browser-tools,terminal,process,execute-code}.test.ts",
  "src/tools/files/checkpoints.test.ts",
  "src/plugins/**/*.test.ts",
];

/** A real model on this machine. */
const realModel = ["test/local-model/**/*.test.ts"];

/**
 * A test that talks to real programs gets a second try in a whole run, where one that the machine disturbed would
 * fail ten thousand others; the run names each that needed it. On its own it gets none.
 */
const retry = process.env.HERMES_TEST_SECOND_TRY === "1" ? 1 : 0;

/**
 * Three rings in one configuration. `unit` sits beside the code and is part of `npm run check`; `parts`
 * sits there too, but talks to real programs; `rings` holds contracts and end-to-end tests, which may
 * start real servers and the built program. `npm test` runs all of them.
 */
export default defineConfig({
  test: {
    pool: "forks",
    // The runner leaves one core free; these tests wait more than they compute.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Limits are for what hangs, not for what is slow: a machine may have ten other things to do.
    testTimeout: 60_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
    restoreMocks: true,
    projects: [
      {
        extends: true,
        // No module holds mutable state, so test files can share a process; that halves the time.
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "scripts/**/*.test.ts"],
          exclude: realParts,
          isolate: false,
        },
      },
      { extends: true, test: { name: "parts", include: realParts, isolate: false, retry } },
      {
        extends: true,
        test: {
          name: "rings",
          include: ["test/**/*.test.ts"],
          exclude: realModel,
          globalSetup: ["test/build-once.ts"],
          testTimeout: 180_000,
          // A browser and a program that share a core with other tests draw a picture late.
          expect: { poll: { timeout: 120_000 } },
          retry,
        },
      },
      {
        extends: true,
        // After everything else and one at a time: a model that shares two cores with other tests is slower than any limit.
        test: {
          name: "model",
          include: realModel,
          globalSetup: ["test/build-once.ts"],
          testTimeout: 240_000,
          retry,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
  resolve: { conditions: ["hermes-source", "node"] },
  ssr: { resolve: { conditions: ["hermes-source", "node"] } },
});
