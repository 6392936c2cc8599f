import { valueAt, withoutValue, withValue } from "../tree.ts";
import type { Migration } from "./migration.ts";

const hosted = /^(?:whisper-1|gpt-4o.*transcribe)$/;

/** One model name for all speech services becomes one per service. */
export const speechModelPerProvider: Migration = {
  from: 13,
  what: "stt.model moves below its provider",
  alsoWithoutVersion: true,
  migrate(state) {
    const model = valueAt(state.tree, ["stt", "model"]);
    if (typeof model !== "string") return state;
    const without = withoutValue(state.tree, ["stt", "model"]);
    const chosen = valueAt(state.tree, ["stt", "provider"]);
    const provider = hosted.test(model) ? "openai" : typeof chosen === "string" && chosen !== "" ? chosen : "local";
    const path = ["stt", provider, "model"];
    return { ...state, tree: valueAt(without, path) === undefined ? withValue(without, path, model) : without };
  },
};
