import { actOn, type BrowserDeps, openPage, readRef } from "../../browser/tool-deps.ts";
import { defineTool } from "../../contract/define-tool.ts";
import { result } from "../../contract/result.ts";
import type { Tool } from "../../contract/tool.ts";
import type { BuiltinTools } from "../builtin-deps.ts";

/** `browser_type`: replaces the text of a field. */
export function createBrowserTypeTool(deps: BrowserDeps): Tool {
  return defineTool({
    name: "browser_type",
    toolset: "browser",
    emoji: "⌨️",
    description: "Empty a field of the open page and type text into it.",
    parameters: {
      type: "object",
      properties: {
        ref: { type: "string", description: "For example @e5" },
        text: { type: "string", description: "The new content" },
      },
      required: ["ref", "text"],
    },
    check: deps.check,
    isIdempotent: false,
    effects: "elsewhere",
    async run({ ref: named, text }, context) {
      const ref = readRef(named);
      const driver = await openPage(deps, context);
      await actOn(deps, driver, context);
      const { isPassword } = await driver.type(ref, text, context.signal);
      return result({ success: true, ...(isPassword ? {} : { typed: text }), element: `@${ref}` });
    },
  });
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ browser }) => (browser === undefined ? [] : [createBrowserTypeTool(browser)]);
