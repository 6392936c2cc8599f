import { type BrowserDeps, openPage } from "../../browser/tool-deps.ts";
import { defineTool } from "../../contract/define-tool.ts";
import { result } from "../../contract/result.ts";
import type { Tool } from "../../contract/tool.ts";
import { fenceInline } from "../../web/untrusted.ts";
import type { BuiltinTools } from "../builtin-deps.ts";

/** `browser_get_images`: what images the page shows. */
export function createBrowserGetImagesTool(deps: BrowserDeps): Tool {
  return defineTool({
    name: "browser_get_images",
    toolset: "browser",
    emoji: "🖼️",
    description:
      "List the images of the open page: addresses, alternative texts and sizes. Look at one with vision_analyze.",
    parameters: { type: "object", properties: {} },
    check: deps.check,
    effects: "none",
    async run(_args, context) {
      const driver = await openPage(deps, context);
      const images = (await driver.images(context.signal)).filter((image) => !image.src.startsWith("data:"));
      const shown = images.map((image) => ({ ...image, alt: fenceInline(image.alt) }));
      return result({ success: true, images: shown, count: images.length });
    },
  });
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ browser }) =>
  browser === undefined ? [] : [createBrowserGetImagesTool(browser)];
