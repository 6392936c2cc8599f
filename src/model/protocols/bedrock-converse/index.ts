import type { Protocol } from "../protocol.ts";
import { ConverseLift, liftWholeConverse } from "./lift.ts";
import { lowerConverse } from "./lower.ts";

export const protocol: Protocol = {
  name: "bedrock_converse",
  lower: lowerConverse,
  openLift: (request) => new ConverseLift(request),
  liftWhole: liftWholeConverse,
};
