import type { BrowserDeps } from "../browser/tool-deps.ts";
import type { Tool } from "../tool.ts";
import { createBrowserBackTool } from "./browser-back.tool.ts";
import { createBrowserCdpTool } from "./browser-cdp.tool.ts";
import { createBrowserClickTool } from "./browser-click.tool.ts";
import { createBrowserConsoleTool } from "./browser-console.tool.ts";
import { createBrowserDialogTool } from "./browser-dialog.tool.ts";
import { createBrowserGetImagesTool } from "./browser-get-images.tool.ts";
import { createBrowserNavigateTool } from "./browser-navigate.tool.ts";
import { createBrowserPressTool } from "./browser-press.tool.ts";
import { createBrowserScrollTool } from "./browser-scroll.tool.ts";
import { createBrowserSnapshotTool } from "./browser-snapshot.tool.ts";
import { createBrowserTypeTool } from "./browser-type.tool.ts";
import { createBrowserVisionTool } from "./browser-vision.tool.ts";

/** All tools that drive a browser. */
export function createBrowserTools(deps: BrowserDeps): readonly Tool[] {
  return [
    createBrowserNavigateTool,
    createBrowserSnapshotTool,
    createBrowserClickTool,
    createBrowserTypeTool,
    createBrowserScrollTool,
    createBrowserBackTool,
    createBrowserPressTool,
    createBrowserGetImagesTool,
    createBrowserVisionTool,
    createBrowserConsoleTool,
    createBrowserCdpTool,
    createBrowserDialogTool,
  ].map((create) => create(deps));
}
