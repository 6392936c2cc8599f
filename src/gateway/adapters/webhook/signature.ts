import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isSame } from "../support/webhook.ts";

export function signatureOf(body: Uint8Array | string, secret: string): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

/** Whether the caller knows the secret, in the way of GitHub, of GitLab, or in the general one. No header means no. */
export function isSigned(headers: IncomingHttpHeaders, body: Uint8Array, secret: string): boolean {
  const header = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === "string" ? value : undefined;
  };
  const hub = header("x-hub-signature-256");
  if (hub !== undefined) return isSame(hub, `sha256=${signatureOf(body, secret)}`);
  const token = header("x-gitlab-token");
  if (token !== undefined) return isSame(token, secret);
  const general = header("x-webhook-signature");
  return general !== undefined && isSame(general, signatureOf(body, secret));
}
