import { tally } from "./state.mjs";

/** The part that runs everywhere: it counts. */
export function register(ctx) {
  ctx.registerHook("post_tool_call", ({ tool_name }) => {
    tally.set(tool_name, (tally.get(tool_name) ?? 0) + 1);
  });
}
