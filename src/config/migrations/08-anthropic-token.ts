import type { Migration } from "./migration.ts";

/** Copied login tokens went stale in `.env` and hid the fresh ones. */
export const clearAnthropicToken: Migration = {
  from: 8,
  what: "ANTHROPIC_TOKEN in .env is cleared",
  alsoWithoutVersion: false,
  migrate: (state) => ({ ...state, cleared: [...state.cleared, "ANTHROPIC_TOKEN"] }),
};
