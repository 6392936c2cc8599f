import { shortLine } from "#foundation/text/short-text";
import type { WebExit, WebExits } from "../confinement/web-exits.ts";
import type { ToolContext } from "../contract/context.ts";
import { defineTool } from "../contract/define-tool.ts";
import { result, ToolFailure, type ToolResult } from "../contract/result.ts";
import type { Tool } from "../contract/tool.ts";
import { checkUrl, hasSecretInUrl, type UrlRules, type UrlVerdict } from "../network/urls.ts";
import type { JudgeAddress, PageAnswer } from "../web/backend.ts";
import type { WebOptions } from "../web/choose.ts";
import type { DigestDeps } from "../web/digest.ts";
import type { ReadDocument } from "../web/reader/document.ts";
import type { PageThread } from "../web/reader/page-thread.ts";
import type { BuiltinTools } from "./builtin-deps.ts";
import { webAvailability } from "./web-search.tool.ts";

export interface WebExtractDeps extends DigestDeps {
  readonly web: WebOptions;
  /** Judges every address before any service hears of it, and the address a page ended up at. */
  readonly rules: UrlRules;
  /** Judges what addresses would carry out of the session. */
  readonly exits: Pick<WebExits, "open" | "found" | "showed" | "holdsSecret">;
}

const mostUrls = 5;

/** `web_extract`: pages and PDFs as Markdown. */
export function createWebExtractTool(options: WebExtractDeps): Tool {
  const deps = withReader(options);
  return defineTool({
    name: "web_extract",
    toolset: "web",
    emoji: "📄",
    description:
      "Read up to five web pages or PDFs as Markdown. Long pages come back condensed. When a page cannot be read this way, open it in the browser.",
    parameters: {
      type: "object",
      properties: {
        urls: { type: "array", items: { type: "string" }, maxItems: mostUrls, description: "Addresses, at most five" },
      },
      required: ["urls"],
    },
    concurrency: "safe",
    effects: "none",
    check: webAvailability(deps.web),
    shorten: ({ urls }, { text }) => {
      const more = urls.length > 1 ? ` (+${urls.length - 1} more)` : "";
      return `extracted ${shortLine(urls[0] ?? "", 80)}${more} (${text.length} chars result)`;
    },
    run: ({ urls }, context) => run(deps, urls, context),
  });
}

/** The thread for documents is the tool's own unless one was given: it starts at first use and ends when idle. */
function withReader(deps: WebExtractDeps): WebExtractDeps {
  if (deps.web.readDocument !== undefined) return deps;
  let thread: Promise<PageThread> | undefined;
  const readDocument: ReadDocument = async (page, signal) => {
    thread ??= import("../web/reader/page-thread.ts").then((module) => new module.PageThread());
    return (await thread).read(page, signal);
  };
  return { ...deps, web: { ...deps.web, readDocument } };
}

interface Entry {
  readonly url: string;
  readonly title: string;
  readonly content: string;
  readonly error: string | null;
  readonly blocked_by_policy?: true;
}

async function run(deps: WebExtractDeps, named: readonly string[], context: ToolContext): Promise<ToolResult> {
  const urls = usableUrls(named);
  const exits = new Map(urls.map((url) => [url, deps.exits.open("web_extract", context)]));
  const verdicts = await Promise.all(urls.map((url) => judged(url, deps.rules, { exit: exits.get(url), context })));
  const allowed = urls.filter((_, index) => verdicts[index]?.kind === "allowed");
  const pages = await readAllowed(deps, { urls: allowed, exits }, context.signal);
  const entries = await Promise.all(
    urls.map((url, index): Promise<Entry> | Entry => {
      const verdict = verdicts[index];
      if (verdict?.kind === "refused") return refusedEntry(url, verdict.reason, verdict.isPolicy);
      const page = pages.get(url);
      if (page === undefined) return refusedEntry(url, "nothing came back for this address", false);
      return toEntry(page, deps, context);
    }),
  );
  return result({ results: entries }, { isError: entries.every((entry) => entry.error !== null) });
}

/** What leaves with an address is judged first: looking up its name tells somebody about it already. */
async function judged(
  url: string,
  rules: UrlRules,
  { exit, context }: { readonly exit: WebExit | undefined; readonly context: ToolContext },
): Promise<UrlVerdict> {
  const held = await exit?.judge(url);
  return held === undefined ? checkUrl(url, rules, context.signal) : { kind: "refused", reason: held, isPolicy: true };
}

function usableUrls(named: readonly string[]): readonly string[] {
  const urls = [...new Set(named.map((url) => url.trim()).filter((url) => url !== ""))];
  if (urls.length === 0) throw new ToolFailure("urls must be a list with at least one address");
  if (urls.length > mostUrls)
    throw new ToolFailure(`At most ${mostUrls} addresses at once; ${urls.length} were given.`);
  if (urls.some(hasSecretInUrl))
    throw new ToolFailure("Refused: one of the addresses contains what looks like a credential. Nothing was fetched.");
  return urls;
}

async function readAllowed(
  deps: WebExtractDeps,
  { urls, exits }: { readonly urls: readonly string[]; readonly exits: ReadonlyMap<string, WebExit> },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, PageAnswer>> {
  if (urls.length === 0) return new Map();
  const judge: JudgeAddress = async (address, from) => exits.get(from)?.judge(address);
  const { chooseWeb } = await import("../web/choose.ts");
  const chosen = await chooseWeb(deps.web, signal);
  if (chosen.kind === "missing") throw new ToolFailure(`Reading web pages is not set up: ${chosen.reason}.`);
  const answers = (await chosen.choice.extract.extract?.(urls, signal, judge)) ?? [];
  return new Map(answers.map((answer) => [answer.url, answer]));
}

async function toEntry(page: PageAnswer, deps: WebExtractDeps, context: ToolContext): Promise<Entry> {
  if (page.kind === "failed") return refusedEntry(page.url, page.reason, page.isPolicy === true);
  if (page.finalUrl !== undefined && page.finalUrl !== page.url) {
    const verdict = await checkUrl(page.finalUrl, deps.rules, context.signal);
    if (verdict.kind === "refused")
      return refusedEntry(page.url, `it leads elsewhere: ${verdict.reason}`, verdict.isPolicy);
  }
  if (page.markdown.trim() === "") return refusedEntry(page.url, "the page has no text; try the browser", false);
  const [{ digest }, { fenceUntrusted }] = await Promise.all([
    import("../web/digest.ts"),
    import("../web/untrusted.ts"),
  ]);
  const { url, title, markdown: text } = page;
  deps.exits.showed(context.scope.key, { url: page.finalUrl ?? url, text });
  const { callId, signal, userTask: task } = context;
  const request = { url, title, text, task, callId, auxiliary: context.scope.auxiliary, signal };
  return { url, title, content: fenceUntrusted(await digest(request, deps), url), error: null };
}

function refusedEntry(url: string, error: string, isPolicy: boolean): Entry {
  return { url, title: "", content: "", error, ...(isPolicy ? { blocked_by_policy: true as const } : {}) };
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ web }) => (web === undefined ? [] : [createWebExtractTool(web)]);
