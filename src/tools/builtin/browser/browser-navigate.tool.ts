import { shortLine } from "#foundation/text/short-text";
import type { Visit } from "../../browser/driver.ts";
import { type BrowserDeps, dialogFields, showPage } from "../../browser/tool-deps.ts";
import type { ToolContext } from "../../contract/context.ts";
import { defineTool } from "../../contract/define-tool.ts";
import { result, ToolFailure, type ToolResult } from "../../contract/result.ts";
import type { Tool } from "../../contract/tool.ts";
import { fenceInline } from "../../web/untrusted.ts";
import type { BuiltinTools } from "../builtin-deps.ts";

const botWall =
  /just a moment|attention required|access denied|verify(?:ing)? you are human|are you (?:a )?robot|captcha|security check|bot detection|unusual traffic/i;

/** `browser_navigate`: opens an address and shows its outline. */
export function createBrowserNavigateTool(deps: BrowserDeps): Tool {
  return defineTool({
    name: "browser_navigate",
    toolset: "browser",
    emoji: "🌐",
    description:
      "Open an address in the browser. Gives a short outline of the page, in which everything you can act on has a ref such as @e5. " +
      "Call this before any other browser tool.",
    parameters: {
      type: "object",
      properties: { url: { type: "string", description: "The address, with https://" } },
      required: ["url"],
    },
    patchDefinition: (definition, visible) => ({
      ...definition,
      description: `${definition.description}${cheaper(visible)}`,
    }),
    check: deps.check,
    effects: "elsewhere",
    shorten: ({ url }, { text }) => `opened ${shortLine(url, 80)} (${text.length} chars result)`,
    run: ({ url }, context) => run(deps, url.trim(), context),
  });
}

/** Only tools that the model has are named. */
function cheaper(visible: ReadonlySet<string>): string {
  const names = ["web_search", "web_extract"].filter((name) => visible.has(name));
  if (names.length === 0) return "";
  return ` To look something up, ${names.join(" and ")} ${names.length === 1 ? "costs" : "cost"} less.`;
}

async function run(deps: BrowserDeps, address: string, context: ToolContext): Promise<ToolResult> {
  if (address === "") throw new ToolFailure("url must be a non-empty string", { success: false });
  const url =
    /^[a-z][a-z0-9+.-]*:/i.test(address) && !/^[\w.-]+:\d+(?:\/|$)/.test(address) ? address : `https://${address}`;
  const { taskId, signal } = context;
  const surface = context.scope.source;
  const exit = deps.exits.open("browser_navigate", context);
  const held = await exit.judge(url);
  if (held !== undefined) throw new ToolFailure(`${shown(address)} is not opened: ${held}.`, { success: false });
  await judge(await likelyKind(deps, url, signal));
  const driver = await deps.sessions.forNavigation({ taskId, surface, url, exit, signal });
  await judge(driver.kind);
  const visit = await visited();
  for (const hop of visit.hops) {
    const verdict = await deps.guard.judge(hop, { kind: driver.kind, surface }, signal);
    if (verdict.kind === "allowed") continue;
    await leave(verdict.reason);
  }
  const page = await showPage(deps, driver, { isFull: false, context });
  return result({
    success: true,
    url: visit.url,
    title: fenceInline(visit.title),
    ...page,
    ...driver.facts,
    ...(botWall.test(visit.title)
      ? {
          bot_detection_warning: `The page ${fenceInline(visit.title.slice(0, 80))} looks like a check against programs, not the content.`,
        }
      : {}),
    ...dialogFields(driver),
  });

  async function visited(): Promise<Visit> {
    try {
      return await driver.navigate(url, signal);
    } catch (error) {
      const stopped = driver.takeRefused?.();
      if (stopped === undefined || signal.aborted) throw error;
      return leave(stopped.reason);
    }
  }

  async function leave(reason: string): Promise<never> {
    await driver.navigate("about:blank", signal);
    throw new ToolFailure(`${shown(address)} leads to an address that may not be opened: ${reason}.`, {
      success: false,
    });
  }

  async function judge(kind: typeof driver.kind): Promise<void> {
    const verdict = await deps.guard.judge(url, { kind, surface }, signal);
    if (verdict.kind === "refused")
      throw new ToolFailure(`${shown(address)} is not opened: ${verdict.reason}.`, { success: false });
  }
}

/** A private address goes to the browser of this machine even when the usual one is elsewhere. */
async function likelyKind(deps: BrowserDeps, url: string, signal: AbortSignal) {
  const kind = await deps.sessions.kind(signal);
  return kind === "cloud" && (await deps.sessions.goesLocal(url, signal)) ? "local" : kind;
}

/** Without the query, where a refused credential would be. */
function shown(url: string): string {
  return url.replace(/[?#].*$/, "").slice(0, 200);
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ browser }) =>
  browser === undefined ? [] : [createBrowserNavigateTool(browser)];
