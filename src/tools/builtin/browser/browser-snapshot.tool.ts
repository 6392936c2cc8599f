import { type BrowserDeps, fencedDialog, openPage, showPage } from "../../browser/tool-deps.ts";
import { defineTool } from "../../contract/define-tool.ts";
import { result } from "../../contract/result.ts";
import type { Tool } from "../../contract/tool.ts";
import type { BuiltinTools } from "../builtin-deps.ts";

/** `browser_snapshot`: the outline of the open page, anew. */
export function createBrowserSnapshotTool(deps: BrowserDeps): Tool {
  return defineTool({
    name: "browser_snapshot",
    toolset: "browser",
    emoji: "📸",
    description:
      "Outline the open page again, with fresh refs; do this after the page changed. full=true includes all text, otherwise only what can be acted on.",
    parameters: {
      type: "object",
      properties: { full: { type: "boolean", description: "Include all text (default false)" } },
    },
    check: deps.check,
    effects: "none",
    async run({ full = false }, context) {
      const driver = await openPage(deps, context);
      const page = await showPage(deps, driver, { isFull: full, context });
      const { dialogs } = driver;
      const frames = driver.frames?.() ?? [];
      return result({
        success: true,
        ...page,
        ...(dialogs !== undefined && dialogs.pending.length > 0
          ? { pending_dialogs: dialogs.pending.map(fencedDialog) }
          : {}),
        ...(dialogs !== undefined && dialogs.recent.length > 0
          ? { recent_dialogs: dialogs.recent.map(fencedDialog) }
          : {}),
        ...(frames.length > 1 ? { frame_tree: frames } : {}),
      });
    },
  });
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ browser }) =>
  browser === undefined ? [] : [createBrowserSnapshotTool(browser)];
