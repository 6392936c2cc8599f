import { writeFileSync } from "node:fs";
import path from "node:path";
import { tally } from "./state.mjs";

/** The part that runs everywhere: it counts, and writes down what the tab in the dashboard shows. */
export function register(ctx) {
  ctx.registerHook("post_tool_call", ({ tool_name }) => {
    tally.set(tool_name, (tally.get(tool_name) ?? 0) + 1);
    writeFileSync(path.join(ctx.dataDir, "dashboard.json"), JSON.stringify([...tally]), { mode: 0o600 });
  });
}
