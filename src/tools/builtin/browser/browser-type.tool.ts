import { type BrowserDeps, openPage, readRef } from "../../browser/tool-deps.ts";
import { result, ToolFailure } from "../../call/result.ts";
import type { Tool } from "../../registry/tool.ts";
import type { BuiltinTools } from "../builtin-deps.ts";

/** `browser_type`: replaces the text of a field. */
export function createBrowserTypeTool(deps: BrowserDeps): Tool {
  return {
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
    async execute(args, context) {
      const ref = readRef(args["ref"]);
      const text = args["text"];
      if (typeof text !== "string") throw new ToolFailure("text must be a string", { success: false });
      const driver = await openPage(deps, context);
      const { isPassword } = await driver.type(ref, text, context.signal);
      return result({ success: true, ...(isPassword ? {} : { typed: text }), element: `@${ref}` });
    },
  };
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ browser }) => (browser === undefined ? [] : [createBrowserTypeTool(browser)]);
