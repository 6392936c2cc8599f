import { createHash, createHmac } from "node:crypto";
import { defined } from "../defined.ts";

export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface AwsRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export interface SigningScope {
  readonly region: string;
  readonly service: string;
  readonly nowMs: number;
}

/** Proxies and clients change these on the way, so they are not signed. */
const unsigned = new Set([
  "connection",
  "expect",
  "transfer-encoding",
  "user-agent",
  "x-amzn-trace-id",
  "accept-encoding",
]);

/** Signature Version 4: the headers to add to the request, which must then be sent unchanged. */
export function signAws(request: AwsRequest, keys: AwsKeys, scope: SigningScope): Readonly<Record<string, string>> {
  const moment = new Date(scope.nowMs).toISOString().replace(/[-:]|\.\d{3}/g, "");
  const day = moment.slice(0, 8);
  const added: Record<string, string> = {
    "x-amz-date": moment,
    ...defined({ "x-amz-security-token": keys.sessionToken }),
  };
  const canonical = canonicalHeaders({ ...request.headers, ...added, host: request.url.host });
  const signedHeaders = canonical.map(([name]) => name).join(";");
  const canonicalRequest = [
    request.method.toUpperCase(),
    canonicalPath(request.url.pathname, scope.service),
    canonicalQuery(request.url.searchParams),
    ...canonical.map(([name, value]) => `${name}:${value}`),
    "",
    signedHeaders,
    sha256(request.body),
  ].join("\n");
  const credentialScope = `${day}/${scope.region}/${scope.service}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", moment, credentialScope, sha256(canonicalRequest)].join("\n");
  const key = [day, scope.region, scope.service, "aws4_request"].reduce<Buffer | string>(
    (secret, part) => hmac(secret, part),
    `AWS4${keys.secretAccessKey}`,
  );
  const signature = hmac(key, text).toString("hex");
  return {
    ...added,
    Authorization: `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${credentialScope}, SignedHeaders=${signedHeaders}, Signature=${signature}`,
  };
}

function canonicalHeaders(headers: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/\s+/g, " ")] as const)
    .filter(([name]) => !unsigned.has(name))
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Every service but S3 signs the path encoded once more than it is sent. */
function canonicalPath(path: string, service: string): string {
  if (service === "s3") return path === "" ? "/" : path;
  const encoded = path
    .split("/")
    .map((segment) => encode(segment))
    .join("/");
  return encoded === "" ? "/" : encoded;
}

function canonicalQuery(query: URLSearchParams): string {
  return [...query.entries()]
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort((one, other) => (`${one[0]}=${one[1]}` < `${other[0]}=${other[1]}` ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

/** RFC 3986: more is encoded than `encodeURIComponent` does. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** As S3 wants it in `x-amz-content-sha256`. */
export function sha256(body: string | Uint8Array): string {
  return createHash("sha256").update(body).digest("hex");
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac("sha256", key).update(text, "utf8").digest();
}
