import type { Protocol } from "../protocol.ts";
import { AnthropicLift, liftWholeAnthropic } from "./lift.ts";
import { lowerAnthropic } from "./lower.ts";

export const protocol: Protocol = {
  name: "anthropic_messages",
  lower: lowerAnthropic,
  openLift: (request) => new AnthropicLift(request),
  liftWhole: liftWholeAnthropic,
};
