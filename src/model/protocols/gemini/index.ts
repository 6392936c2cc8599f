import type { Protocol } from "../protocol.ts";
import { GeminiLift, liftWholeGemini } from "./lift.ts";
import { lowerGemini } from "./lower.ts";

export const protocol: Protocol = {
  name: "gemini_generate",
  lower: lowerGemini,
  openLift: (request) => new GeminiLift(request),
  liftWhole: liftWholeGemini,
};
