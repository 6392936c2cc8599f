import { type Headers, header } from "./headers.ts";

const nobody =
  /^(?:no-?_?\.?reply|do-?not-?reply|donotreply|mailer-daemon|postmaster|bounces?|notifications?|listserv|majordomo|root|daemon|auto-?reply)(?:[+\-_.=].*)?$/iu;

/**
 * Why a mail was written by a program, or undefined. Two programs that answer each other never stop, so nothing of that
 * kind is answered.
 */
export function whyAutomated(from: string, headers: Headers): string | undefined {
  if (nobody.test(from.slice(0, from.lastIndexOf("@")))) return "its sender reads no answers";
  const submitted = header(headers, "auto-submitted").toLowerCase();
  if (submitted !== "" && !/^no\b/u.test(submitted)) return "it was sent by a program";
  if (/^(?:bulk|list|junk)\b/iu.test(header(headers, "precedence"))) return "it went to many";
  if (headers.has("x-auto-response-suppress")) return "it asks not to be answered";
  if (headers.has("list-unsubscribe") || headers.has("list-id")) return "it came from a list";
  if (/^<\s*>$/u.test(header(headers, "return-path"))) return "it reports a delivery";
  return undefined;
}
