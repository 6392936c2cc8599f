import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { DeliveryPlan } from "./delivery-plan.ts";
import type { Gate } from "./gate.ts";

export interface Line {
  readonly response: ServerResponse;
  readonly gate: Gate;
  /** Fires when the connection is gone before the answer was complete. */
  readonly left: AbortSignal;
}

/** Carries out a plan. Returns when the answer is complete, was cut on purpose, or the client has left. */
export async function deliver(plan: DeliveryPlan, line: Line): Promise<void> {
  const { response, left } = line;
  const single = singleBody(plan);
  if (single !== undefined) {
    response.writeHead(plan.status, { ...plan.headers, "content-length": String(single.length) });
    response.end(single);
    return;
  }
  response.writeHead(plan.status, plan.headers);
  response.flushHeaders();
  for (const step of plan.steps) {
    if (step.isGated && !(await line.gate.pass(left))) return;
    for (const bytes of step.writes) if (!(await write(response, bytes, left))) return;
  }
  await end(plan, line);
}

/** Holds a request open without a word until the client gives up. */
export async function holdOpen(left: AbortSignal): Promise<void> {
  if (!left.aborted) await once(left, "abort");
}

/** A complete, undisturbed body goes out with its length; everything else is chunked. */
function singleBody(plan: DeliveryPlan): Buffer | undefined {
  if (plan.ending !== "complete" || plan.steps.some((step) => step.isGated)) return undefined;
  const writes = plan.steps.flatMap((step) => step.writes);
  const isStream = plan.headers["content-type"]?.startsWith("text/event-stream") === true;
  return isStream || writes.length > 1 ? undefined : (writes[0] ?? Buffer.alloc(0));
}

async function write(response: ServerResponse, bytes: Buffer, left: AbortSignal): Promise<boolean> {
  if (left.aborted) return false;
  if (response.write(bytes)) return true;
  try {
    await once(response, "drain", { signal: left });
    return true;
  } catch (error) {
    if (left.aborted) return false;
    throw error;
  }
}

async function end(plan: DeliveryPlan, { response, left }: Line): Promise<void> {
  switch (plan.ending) {
    case "complete":
      response.end();
      return;
    case "hang":
      await holdOpen(left);
      return;
    case "close":
    case "reset":
      // What was written must have reached the kernel, or the cut would swallow it.
      await new Promise<void>((resolve) => response.write("", () => resolve()));
      if (plan.ending === "close") response.socket?.destroy();
      else response.socket?.resetAndDestroy();
  }
}
