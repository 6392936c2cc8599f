import { HermesError } from "#foundation/errors";
import type { Fence } from "./records/gateway.ts";

/** A write came from a holder whose lease has passed to somebody else; nothing was written. */
export class LeaseLostError extends HermesError {
  override readonly name: string = "LeaseLostError";

  constructor(fence: Fence) {
    super(`The lease ${fence.name} is no longer held by ${fence.owner}.`, {
      code: "lease_lost",
      data: { lease: fence.name, fence: fence.fence },
    });
  }
}
