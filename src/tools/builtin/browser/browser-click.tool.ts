import { assertAllowed, type BrowserDeps, dialogFields, openPage, readRef } from "../../browser/tool-deps.ts";
import { defineTool } from "../../contract/define-tool.ts";
import { result } from "../../contract/result.ts";
import type { Tool } from "../../contract/tool.ts";
import type { BuiltinTools } from "../builtin-deps.ts";

/** `browser_click`: clicks an element of the outline. */
export function createBrowserClickTool(deps: BrowserDeps): Tool {
  return defineTool({
    name: "browser_click",
    toolset: "browser",
    emoji: "👆",
    description: "Click an element of the open page by its ref from the outline.",
    parameters: {
      type: "object",
      properties: { ref: { type: "string", description: "For example @e5" } },
      required: ["ref"],
    },
    check: deps.check,
    isIdempotent: false,
    effects: "elsewhere",
    async run(args, context) {
      const ref = readRef(args.ref);
      const driver = await openPage(deps, context);
      const end = await driver.click(ref, context.signal);
      if (end.kind === "done") await assertAllowed(deps, driver, context);
      return result({ success: true, clicked: `@${ref}`, ...dialogFields(driver) });
    },
  });
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ browser }) => (browser === undefined ? [] : [createBrowserClickTool(browser)]);
