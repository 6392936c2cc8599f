import { createHmac } from "node:crypto";
import { isSame } from "../support/webhook.ts";

/** The signature of a call: over the address and its fields by name. */
function twilioSignature(token: string, url: string, fields: URLSearchParams): string {
  const pairs = [...fields].sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
  const signed = url + pairs.map(([name, value]) => name + value).join("");
  return createHmac("sha1", token).update(signed).digest("base64");
}

/** Twilio names the usual port in some addresses and leaves it out in others. */
export function isTwilio(
  signature: string | readonly string[] | undefined,
  token: string,
  { url, fields }: { readonly url: string; readonly fields: URLSearchParams },
): boolean {
  return withAndWithoutPort(url).some((one) => isSame(signature, twilioSignature(token, one, fields)));
}

function withAndWithoutPort(url: string): readonly string[] {
  const parsed = new URL(url);
  const usual = parsed.protocol === "https:" ? "443" : "80";
  const rest = url.slice(url.indexOf(parsed.host) + parsed.host.length).replace(/^:\d+/u, "");
  const start = `${parsed.protocol}//${parsed.hostname}`;
  return parsed.port === "" ? [url, `${start}${rest}`, `${start}:${usual}${rest}`] : [url, `${start}${rest}`];
}
