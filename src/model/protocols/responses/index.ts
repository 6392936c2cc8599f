import type { Protocol } from "../protocol.ts";
import { liftWholeResponses, ResponsesLift } from "./lift.ts";
import { lowerResponses } from "./lower.ts";

export const protocol: Protocol = {
  name: "codex_responses",
  lower: lowerResponses,
  openLift: (request) => new ResponsesLift(request),
  liftWhole: liftWholeResponses,
};
