import { defined } from "#foundation/defined";
import type { StreamFault } from "../protocol.ts";
import { objectIn, textIn, type WireObject } from "./fields.ts";

type Fault = Omit<StreamFault, "type">;

const maxBody = 4_000;

/** The stream stopped before the answer said that it was complete. */
export const unfinished: Fault = {
  message: "the stream ended before the answer was complete",
  code: "stream_cut",
  body: "",
};

/** The text is bounded and goes to the classifier only, which shows none of it without cleaning. */
export function malformedFrame(reason: string, data: string): Fault {
  return {
    message: `the stream held a frame that is not JSON: ${reason}`,
    code: "malformed_frame",
    body: data.slice(0, 200),
  };
}

/** A whole answer without what an answer is made of. */
export function emptyAnswer(missing: string, body: unknown): readonly StreamFault[] {
  const text = JSON.stringify(body ?? null).slice(0, 2_000);
  return [{ type: "stream-fault", message: `the answer holds no ${missing}`, body: text }];
}

/** An `error` object inside a stream or a body that otherwise looks like success. */
export function faultOf(holder: WireObject, text: string): Fault {
  const input = holder["error"];
  const error = objectIn(input);
  const message =
    textIn(error["message"]) || textIn(input) || textIn(holder["message"]) || "the provider reported an error";
  const code = [error["code"], error["type"], error["status"]].find((one) => typeof one === "string" && one !== "");
  const status = [error["code"], error["status"], error["status_code"], error["http_code"]]
    .map(Number)
    .find((one) => Number.isInteger(one) && one >= 400 && one < 600);
  return {
    message,
    body: text.slice(0, maxBody),
    ...(typeof code === "string" ? { code } : {}),
    ...defined({ status }),
  };
}
