import { assertAllowed, type BrowserDeps, dialogFields, openPage } from "../../browser/tool-deps.ts";
import { defineTool } from "../../contract/define-tool.ts";
import { result, ToolFailure } from "../../contract/result.ts";
import type { Tool } from "../../contract/tool.ts";
import type { BuiltinTools } from "../builtin-deps.ts";

/** `browser_press`: one key or combination. */
export function createBrowserPressTool(deps: BrowserDeps): Tool {
  return defineTool({
    name: "browser_press",
    toolset: "browser",
    emoji: "⌨️",
    description: "Press a key on the open page, such as Enter, Tab, Escape, ArrowDown or Control+a.",
    parameters: {
      type: "object",
      properties: { key: { type: "string" } },
      required: ["key"],
    },
    check: deps.check,
    isIdempotent: false,
    effects: "elsewhere",
    async run({ key: named }, context) {
      const key = named.trim();
      if (key === "" || key.length > 60) throw new ToolFailure("key must be the name of a key", { success: false });
      const driver = await openPage(deps, context);
      const end = await driver.press(key, context.signal);
      if (end.kind === "done") await assertAllowed(deps, driver, context);
      return result({ success: true, pressed: key, ...dialogFields(driver) });
    },
  });
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ browser }) => (browser === undefined ? [] : [createBrowserPressTool(browser)]);
