import { type Headers, header } from "./headers.ts";

/**
 * Whether the receiving server has verified that a mail comes from the domain of its sender: the topmost
 * `Authentication-Results`, which that server writes, names a check of that domain that passed.
 */
export function isSenderVerified(from: string, headers: Headers, server: string): boolean {
  const [name = "", ...results] = withoutComments(header(headers, "authentication-results")).split(";");
  if (server !== "" && name.trim().split(/\s/u)[0]?.toLowerCase() !== server.toLowerCase()) return false;
  const domain = from.slice(from.lastIndexOf("@") + 1).toLowerCase();
  return results.some((result) => vouchesFor(result.trim().toLowerCase(), domain));
}

function withoutComments(text: string): string {
  return text.replaceAll(/\([^()]*\)/gu, " ");
}

function vouchesFor(result: string, domain: string): boolean {
  const [, method = ""] = /^(dmarc|dkim|spf)\s*=\s*pass\b/u.exec(result) ?? [];
  const property = { dmarc: "header.from", dkim: "header.d", spf: "smtp.mailfrom" }[method];
  if (property === undefined) return false;
  const [, value = ""] = new RegExp(`${property.replace(".", "\\.")}\\s*=\\s*"?([^\\s";]+)`, "u").exec(result) ?? [];
  const checked = value.slice(value.lastIndexOf("@") + 1);
  return checked !== "" && (domain === checked || domain.endsWith(`.${checked}`) || checked.endsWith(`.${domain}`));
}
