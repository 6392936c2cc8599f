import { describe, expect, it } from "vitest";
import { readForm, smsMessage } from "./inbound.ts";
import { sms } from "./index.ts";
import { isTwilio } from "./signature.ts";

const url = "https://example.com/webhooks/twilio";
const form = (body: string) =>
  new URLSearchParams({ Body: body, From: "+15551230001", MessageSid: "SM1", To: "+15551239999" });

describe("calls of Twilio", () => {
  it("are signed over the address and every field [40:A-SM-1]", () => {
    const signature = "DVHkg45B0cesBYcd9L9PFW5CQ0k=";
    expect(isTwilio(signature, "tok", { url, fields: form("hi") })).toBe(true);
    expect(isTwilio(signature, "tok", { url: "https://example.com:443/webhooks/twilio", fields: form("hi") })).toBe(
      true,
    );
    expect(isTwilio(signature, "tok", { url, fields: form("ho") })).toBe(false);
    expect(isTwilio(undefined, "tok", { url, fields: form("hi") })).toBe(false);
  });

  // The example of Twilio's own libraries.
  it("are known by the published example", () => {
    const about = { CallSid: "CA1234567890ABCDE", Caller: "+14158675309", Digits: "1234" };
    const fields = new URLSearchParams({ ...about, From: "+14158675309", To: "+18005551212" });
    const address = "https://mycompany.com/myapp.php?foo=1&bar=2";
    expect(isTwilio("RSOYDt4T1cUTdK1PDd93/VVr8B8=", "12345", { url: address, fields })).toBe(true);
    expect(isTwilio("RSOYDt4T1cUTdK1PDd93/VVr8B8=", "12346", { url: address, fields })).toBe(false);
  });

  it("have one key per message, and our own are none [40:A-SM-5]", () => {
    const received = readForm(form("hi"), 1);
    expect(smsMessage(received, "+15551239999")).toMatchObject({ text: "hi", dedupKey: "sms:+15551239999:SM1" });
    expect(smsMessage(received, "+15551230001")).toBeUndefined();
  });
});

describe("answers by SMS", () => {
  it("are plain text of at most 1600 characters [40:A-SM-3] [40:A-SM-4]", () => {
    expect(sms.render("**bold**")).toEqual([{ text: "bold", plain: "bold" }]);
    const pieces = sms.render("word ".repeat(700));
    expect(pieces.length).toBe(3);
    expect(pieces.every(({ text }) => text.length <= 1600)).toBe(true);
  });
});
