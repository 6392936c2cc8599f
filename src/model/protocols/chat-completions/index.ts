import type { Protocol } from "../protocol.ts";
import { ChatLift, liftWholeChat } from "./lift.ts";
import { lowerChat } from "./lower.ts";

export const protocol: Protocol = {
  name: "chat_completions",
  lower: lowerChat,
  openLift: (request) => new ChatLift(request),
  liftWhole: liftWholeChat,
};
