import { actOn, assertAllowed, type BrowserDeps, openPage } from "../../browser/tool-deps.ts";
import { defineTool } from "../../contract/define-tool.ts";
import { result, ToolFailure } from "../../contract/result.ts";
import type { Availability, Tool } from "../../contract/tool.ts";
import type { BuiltinTools } from "../builtin-deps.ts";

/** `browser_cdp`: one raw DevTools command, for a browser whose DevTools address the user gave us. */
export function createBrowserCdpTool(deps: BrowserDeps): Tool {
  return defineTool({
    name: "browser_cdp",
    toolset: "browser-cdp",
    emoji: "🧪",
    description:
      "Send one raw DevTools protocol command to the open page. For what the other browser tools cannot do; frame_id is one of frame_tree.",
    parameters: {
      type: "object",
      properties: {
        method: { type: "string", description: "For example Page.getLayoutMetrics" },
        params: { type: "object", description: "Parameters of the method" },
        target_id: { type: "string", description: "Another target, from Target.getTargets" },
        frame_id: { type: "string", description: "A frame of the page" },
        timeout: { type: "number", minimum: 1, maximum: 300, description: "Seconds (default 30)" },
      },
      required: ["method"],
    },
    isIdempotent: false,
    check: async (signal): Promise<Availability> => {
      const usable = await deps.check(signal);
      if (usable !== true) return usable;
      return (await deps.sessions.kind(signal)) === "cdp"
        ? true
        : { reason: "no DevTools address (browser.cdp_url) is configured" };
    },
    effects: "elsewhere",
    async run({ method, params = {}, target_id, frame_id, timeout = 30 }, context) {
      if (!/^[A-Z][A-Za-z]*\.[a-z][A-Za-z]*$/.test(method))
        throw new ToolFailure("method must look like Domain.method", { success: false });
      const driver = await openPage(deps, context);
      if (driver.cdp === undefined)
        throw new ToolFailure("This browser does not speak the DevTools protocol.", { success: false });
      await actOn(deps, driver, context);
      const answer = await driver.cdp(
        {
          method,
          params,
          timeoutMs: Math.min(Math.max(timeout, 1), 300) * 1000,
          targetId: target_id,
          frameId: frame_id,
        },
        context.signal,
      );
      await assertAllowed(deps, driver, context);
      return result({ success: true, method, result: answer ?? {} });
    },
  });
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ browser }) => (browser === undefined ? [] : [createBrowserCdpTool(browser)]);
