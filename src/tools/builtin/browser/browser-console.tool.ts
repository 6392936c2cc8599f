import { actOn, assertAllowed, type BrowserDeps, openPage } from "../../browser/tool-deps.ts";
import { defineTool } from "../../contract/define-tool.ts";
import { result, ToolFailure } from "../../contract/result.ts";
import type { Tool } from "../../contract/tool.ts";
import type { BuiltinTools } from "../builtin-deps.ts";

const longestResult = 20_000;

/** `browser_console`: what the page's scripts said, or the value of an expression. */
export function createBrowserConsoleTool(deps: BrowserDeps): Tool {
  return defineTool({
    name: "browser_console",
    toolset: "browser",
    emoji: "🖥️",
    description: "Read console output and script errors of the open page, or evaluate a JavaScript expression in it.",
    parameters: {
      type: "object",
      properties: {
        clear: { type: "boolean", description: "Empty the list after reading (default false)" },
        expression: { type: "string", description: "JavaScript to evaluate instead" },
      },
    },
    check: deps.check,
    effects: "elsewhere",
    async run({ expression = "", clear = false }, context) {
      const driver = await openPage(deps, context);
      const { fenceInline, fenceUntrusted } = await import("../../web/untrusted.ts");
      if (expression.trim() !== "") {
        await actOn(deps, driver, context);
        const value = await driver.evaluate(expression, context.signal);
        await assertAllowed(deps, driver, context);
        const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
        return result({
          success: true,
          result:
            typeof value === "string" || (typeof value === "object" && value !== null) || text.length > longestResult
              ? fenceUntrusted(text.slice(0, longestResult), driver.url())
              : value,
          result_type: typeOf(value),
        });
      }
      const { log } = driver;
      if (log === undefined)
        throw new ToolFailure("This browser does not tell what its console says.", { success: false });
      const { messages, errors } = log.read();
      if (clear) log.clear();
      return result({
        success: true,
        console_messages: messages.map((one) => ({ ...one, text: fenceInline(one.text) })),
        js_errors: errors.map((one) => ({ ...one, message: fenceInline(one.message) })),
        total_messages: messages.length,
        total_errors: errors.length,
      });
    },
  });
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ browser }) =>
  browser === undefined ? [] : [createBrowserConsoleTool(browser)];
