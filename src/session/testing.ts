/** For tests of what stands on sessions. */
export { type HarnessOptions, openHarness, say } from "./testing/harness.ts";
