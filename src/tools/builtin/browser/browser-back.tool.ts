import { assertAllowed, type BrowserDeps, openPage } from "../../browser/tool-deps.ts";
import { defineTool } from "../../contract/define-tool.ts";
import { result } from "../../contract/result.ts";
import type { Tool } from "../../contract/tool.ts";
import type { BuiltinTools } from "../builtin-deps.ts";

/** `browser_back`: the page before. */
export function createBrowserBackTool(deps: BrowserDeps): Tool {
  return defineTool({
    name: "browser_back",
    toolset: "browser",
    emoji: "◀️",
    description: "Go back to the page before, as with the back button.",
    parameters: { type: "object", properties: {} },
    check: deps.check,
    effects: "elsewhere",
    async run(_args, context) {
      const driver = await openPage(deps, context);
      const url = await driver.back(context.signal);
      await assertAllowed(deps, driver, context);
      return result({ success: true, url });
    },
  });
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ browser }) => (browser === undefined ? [] : [createBrowserBackTool(browser)]);
