import type { Migration } from "./migration.ts";

/** The model is set in the file alone; two old variables contradicted it. */
export const clearModelVariables: Migration = {
  from: 12,
  what: "LLM_MODEL and OPENAI_MODEL in .env are cleared",
  alsoWithoutVersion: false,
  migrate: (state) => ({ ...state, cleared: [...state.cleared, "LLM_MODEL", "OPENAI_MODEL"] }),
};
