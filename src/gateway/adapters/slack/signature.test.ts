import { expect, it } from "vitest";
import { isFromSlack } from "./signature.ts";

// The example of Slack's own documentation.
const secret = "8f742231b10e8888abcd99yyyzzz85a5";
const body = Buffer.from(
  "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar" +
    "&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com" +
    "%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN" +
    "&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
);
const headers = {
  "x-slack-request-timestamp": "1531420618",
  "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
};
const then = 1_531_420_618_000;

it("the signature that Slack publishes is right for its call, its secret and five minutes", () => {
  expect(isFromSlack({ headers, body }, secret, then)).toBe(true);
  expect(isFromSlack({ headers, body }, secret, then + 300_000)).toBe(true);
  expect(isFromSlack({ headers, body }, secret, then - 300_000)).toBe(true);
});

it.each([
  ["another body", { headers, body: Buffer.from(`${body.toString()}x`) }, secret, then],
  ["another secret", { headers, body }, `${secret}x`, then],
  ["a call of six minutes ago", { headers, body }, secret, then + 360_000],
  ["a call of the future", { headers, body }, secret, then - 360_000],
  ["another time", { headers: { ...headers, "x-slack-request-timestamp": "1531420619" }, body }, secret, then],
  ["no time", { headers: { "x-slack-signature": headers["x-slack-signature"] }, body }, secret, then],
  ["a time that is none", { headers: { ...headers, "x-slack-request-timestamp": "now" }, body }, secret, then],
  ["no signature", { headers: { "x-slack-request-timestamp": "1531420618" }, body }, secret, then],
] as const)("is wrong for %s", (_what, call, key, nowMs) => {
  expect(isFromSlack(call, key, nowMs)).toBe(false);
});
