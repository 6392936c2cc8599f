import type { CDPSession } from "playwright-core";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { PageVerdict } from "../guard.ts";

/** One request of a page. */
export interface PageRequest {
  /** A page or a frame; else something that one loads. */
  readonly isPage: boolean;
  readonly hasBody: boolean;
}

/** Asked before every request of a page, and before every hop of it. */
export type JudgeHop = (url: string, request: PageRequest) => Promise<PageVerdict>;

export interface RefusedHop {
  readonly url: string;
  readonly reason: string;
}

/**
 * Judges where pages are about to go, and what they load, before the request leaves, redirects included. A route of the library
 * sees only the first address of a chain; the protocol itself pauses at every hop. A session of the whole browser sees all
 * pages, popups from their first request on and frames in processes of their own; one of a page sees only its process.
 */
export async function watchNavigation(
  session: CDPSession,
  judge: JudgeHop,
  report: { isWholePage(frameId: string): boolean; onRefused(hop: RefusedHop): void; readonly logger: Logger },
): Promise<void> {
  session.on("Fetch.requestPaused", ({ requestId, request, frameId, resourceType }) => {
    const { url } = request;
    const isPage = resourceType === "Document";
    void decide(judge, url, { isPage, hasBody: request.hasPostData === true })
      .then((verdict) => {
        if (verdict.kind === "allowed") return session.send("Fetch.continueRequest", { requestId });
        // A frame that stays empty is no reason to leave the page around it.
        if (isPage && report.isWholePage(frameId)) report.onRefused({ url, reason: verdict.reason });
        // "Aborted" leaves the page where it is; any other reason shows an error page some time later, which
        // would interrupt whatever is opened next.
        return session.send("Fetch.failRequest", { requestId, errorReason: "Aborted" });
      })
      .catch((error: unknown) => {
        // The page went away while it was judged; nobody waits for this request any more.
        report.logger.debug("A request ended before it was judged", { error: describe(error) });
      });
  });
  await session.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] });
}

/** An address that cannot be judged is not visited. */
async function decide(judge: JudgeHop, url: string, request: PageRequest): Promise<PageVerdict> {
  try {
    return await judge(url, request);
  } catch (error) {
    return { kind: "refused", reason: `it could not be checked (${describe(error)})` };
  }
}
