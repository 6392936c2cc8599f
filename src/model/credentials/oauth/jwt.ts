import { isRecord, parseJson } from "#foundation/text/json";

/** The claims of a token, unchecked: only the service can tell whether they are true. */
export function readClaims(token: string): Readonly<Record<string, unknown>> | undefined {
  const payload = token.split(".")[1];
  if (payload === undefined || payload.length > 20_000) return undefined;
  const parsed = parseJson(Buffer.from(payload, "base64url").toString("utf8"));
  return parsed.ok && isRecord(parsed.value) ? parsed.value : undefined;
}

export function expiryOf(token: string): number | undefined {
  const exp = readClaims(token)?.exp;
  return typeof exp === "number" && exp > 0 ? exp * 1000 : undefined;
}
