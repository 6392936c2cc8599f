import { defineConfig } from "vitest/config";

/**
 * Two rings in one configuration. `unit` sits beside the code and is part of `npm run check`;
 * `rings` holds contracts and end-to-end tests, which may start real servers and the built program.
 */
export default defineConfig({
  test: {
    pool: "forks",
    testTimeout: 20_000,
    hookTimeout: 60_000,
    restoreMocks: true,
    // One of its dependencies publishes TypeScript under our condition `source`, which Node itself cannot load.
    server: { deps: { inline: [/@modelcontextprotocol\/client/, /node_modules\/eventsource\//] } },
    projects: [
      {
        extends: true,
        // No module holds mutable state, so test files can share a process; that halves the time.
        test: { name: "unit", include: ["src/**/*.test.ts", "scripts/**/*.test.ts"], isolate: false },
      },
      {
        extends: true,
        test: {
          name: "rings",
          include: ["test/**/*.test.ts"],
          globalSetup: ["test/build-once.ts"],
          testTimeout: 60_000,
        },
      },
    ],
  },
  resolve: { conditions: ["source", "node"] },
  ssr: { resolve: { conditions: ["source", "node"] } },
});
