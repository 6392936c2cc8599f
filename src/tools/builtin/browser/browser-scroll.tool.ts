import { type BrowserDeps, openPage } from "../../browser/tool-deps.ts";
import { defineTool } from "../../contract/define-tool.ts";
import { result } from "../../contract/result.ts";
import type { Tool } from "../../contract/tool.ts";
import type { BuiltinTools } from "../builtin-deps.ts";

/** `browser_scroll`: moves the page by 500 pixels. */
export function createBrowserScrollTool(deps: BrowserDeps): Tool {
  return defineTool({
    name: "browser_scroll",
    toolset: "browser",
    emoji: "📜",
    description: "Scroll the open page up or down by about half a screen; brings more content in.",
    parameters: {
      type: "object",
      properties: { direction: { type: "string", enum: ["up", "down"] } },
      required: ["direction"],
    },
    check: deps.check,
    effects: "elsewhere",
    async run({ direction }, context) {
      const driver = await openPage(deps, context);
      await driver.scroll(direction, context.signal);
      return result({ success: true, scrolled: direction });
    },
  });
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ browser }) => (browser === undefined ? [] : [createBrowserScrollTool(browser)]);
