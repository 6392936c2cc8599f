import type { CDPSession, Page } from "playwright-core";
import { describe } from "#foundation/errors";
import { deadline, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import { ToolFailure } from "../../contract/result.ts";
import type { CdpCall } from "../driver.ts";
import { frameById } from "./frames.ts";

/** One raw command to the page, to a frame, or to another target of the browser. */
export async function cdpCall(page: Page, call: CdpCall, signal: AbortSignal): Promise<unknown> {
  using limit = deadline(call.timeoutMs);
  const both = linkSignals(signal, limit.signal);
  try {
    return await raceAbort(send(page, call), both);
  } catch (error) {
    if (signal.aborted || error instanceof ToolFailure) throw error;
    const reason = limit.signal.aborted
      ? `no answer within ${call.timeoutMs / 1000} s`
      : describe(error).split("\n")[0];
    throw new ToolFailure(`${call.method} failed: ${reason}`, { success: false, method: call.method });
  }
}

async function send(page: Page, call: CdpCall): Promise<unknown> {
  const session = await sessionFor(page, call);
  try {
    if (call.targetId === undefined) return await session.send(call.method as never, call.params as never);
    return await sendToTarget(session, call.targetId, call);
  } finally {
    await session.detach().catch(() => undefined);
  }
}

async function sessionFor(page: Page, call: CdpCall): Promise<CDPSession> {
  if (call.frameId === undefined) return page.context().newCDPSession(page);
  const frame = frameById(page, call.frameId);
  if (frame === undefined)
    throw new ToolFailure(`There is no frame ${call.frameId}; frame_tree in browser_snapshot lists them.`, {
      success: false,
    });
  try {
    return await page.context().newCDPSession(frame);
  } catch {
    // A frame of the same site lives in the page's own process and has no session of its own.
    return page.context().newCDPSession(page);
  }
}

/** Other targets are reached through the page's session, with messages inside messages. */
async function sendToTarget(session: CDPSession, targetId: string, call: CdpCall): Promise<unknown> {
  const { sessionId } = await session.send("Target.attachToTarget", { targetId, flatten: false });
  const answer = new Promise<unknown>((resolve, reject) => {
    session.on("Target.receivedMessageFromTarget", (event) => {
      if (event.sessionId !== sessionId) return;
      const message = JSON.parse(event.message) as { id?: number; result?: unknown; error?: { message?: string } };
      if (message.id !== 1) return;
      if (message.error === undefined) resolve(message.result);
      else reject(new Error(message.error.message ?? "the target refused the command"));
    });
  });
  const message = JSON.stringify({ id: 1, method: call.method, params: call.params });
  await session.send("Target.sendMessageToTarget", { sessionId, message });
  return answer;
}
