import { type BrowserDeps, fencedDialog } from "../../browser/tool-deps.ts";
import { defineTool } from "../../contract/define-tool.ts";
import { failed, result } from "../../contract/result.ts";
import type { Availability, Tool } from "../../contract/tool.ts";
import type { BuiltinTools } from "../builtin-deps.ts";

/** `browser_dialog`: answers an alert, a question or a prompt that blocks the page. */
export function createBrowserDialogTool(deps: BrowserDeps): Tool {
  return defineTool({
    name: "browser_dialog",
    toolset: "browser-cdp",
    emoji: "💬",
    description:
      "Answer a dialog (alert, confirm, prompt) that blocks the open page. pending_dialogs of browser_snapshot lists them.",
    parameters: {
      type: "object",
      properties: {
        action: { type: "string", enum: ["accept", "dismiss"] },
        prompt_text: { type: "string", description: "What to enter, for a prompt" },
        dialog_id: { type: "string", description: "Which one, when several wait (default: the oldest)" },
      },
      required: ["action"],
    },
    isIdempotent: false,
    check: async (signal): Promise<Availability> => {
      const usable = await deps.check(signal);
      if (usable !== true) return usable;
      return (await deps.sessions.kind(signal)) === "camofox" ? { reason: "this browser does not show dialogs" } : true;
    },
    effects: "elsewhere",
    async run({ action, dialog_id, prompt_text: promptText }, context) {
      const dialogs = deps.sessions.current(context.taskId)?.dialogs;
      if (dialogs === undefined)
        return failed("No page is open in a browser that shows dialogs. Open one with browser_navigate first.", {
          success: false,
        });
      const dialog = await dialogs.answer(dialog_id || undefined, { action, by: "agent", promptText });
      if (dialog === undefined)
        return failed("No such dialog is open.", {
          success: false,
          pending_dialogs: dialogs.pending.map(fencedDialog),
          recent_dialogs: dialogs.recent.map(fencedDialog),
        });
      return result({ success: true, action, dialog: fencedDialog(dialog) });
    },
  });
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ browser }) => (browser === undefined ? [] : [createBrowserDialogTool(browser)]);
