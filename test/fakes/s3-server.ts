import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface S3Server extends AsyncDisposable {
  readonly url: string;
  readonly bucket: string;
  readonly region: string;
  readonly keys: { readonly id: string; readonly secret: string };
  /** `METHOD path` of everything that was asked and not refused. */
  readonly calls: readonly string[];
  readonly refusals: readonly string[];
  names(): readonly string[];
}

/**
 * An object store on loopback that refuses what S3 refuses: a signature that does not fit the request as it arrived, a body that
 * does not fit its hash, a moment long past, an unknown bucket. It reads the request itself and shares no code with whoever signs.
 */
export async function startS3Server(): Promise<S3Server> {
  const keys = { id: "AKIDFAKESTORE0001", secret: "fake/secret+of-the-object-store-0001" };
  const [bucket, region] = ["media-of-tests", "eu-central-1"];
  const objects = new Map<string, Buffer>();
  const calls: string[] = [];
  const refusals: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const refusal = refused(request, body, { keys, region }) ?? (isIn(request, bucket) ? undefined : "NoSuchBucket");
    const answer = (status: number, bytes: Buffer | string = ""): void => void response.writeHead(status).end(bytes);
    if (refusal !== undefined) {
      refusals.push(refusal);
      const xml = `<?xml version="1.0"?><Error><Code>${refusal}</Code></Error>`;
      return answer(refusal === "NoSuchBucket" ? 404 : 403, xml);
    }
    const { method = "", url = "" } = request;
    calls.push(`${method} ${url}`);
    const found = objects.get(url);
    if (method === "PUT") {
      objects.set(url, body);
      return answer(200);
    }
    if (method === "DELETE") {
      objects.delete(url);
      return answer(204);
    }
    return found === undefined ? answer(404, "<Error><Code>NoSuchKey</Code></Error>") : answer(200, found);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket,
    region,
    keys,
    calls,
    refusals,
    names: () => [...objects.keys()],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isIn({ url = "" }: IncomingMessage, bucket: string): boolean {
  return url.startsWith(`/${bucket}/`);
}

const hash = (bytes: Buffer | string): string => createHash("sha256").update(bytes).digest("hex");
const mac = (key: Buffer | string, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** The code of the refusal, as S3 names it. */
function refused(
  { method = "", url = "", headers }: IncomingMessage,
  body: Buffer,
  { keys, region }: { readonly keys: S3Server["keys"]; readonly region: string },
): string | undefined {
  const [, id, day, place, service, names, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/u.exec(
      headers.authorization ?? "",
    ) ?? [];
  if (id === undefined || names === undefined || day === undefined) return "AccessDenied";
  if (id !== keys.id) return "InvalidAccessKeyId";
  if (place !== region || service !== "s3") return "AuthorizationHeaderMalformed";
  const moment = String(headers["x-amz-date"]);
  const atMs = Date.parse(moment.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/u, "$1-$2-$3T$4:$5:$6Z"));
  if (!(Math.abs(Date.now() - atMs) < 900_000)) return "RequestTimeTooSkewed";
  const signed = names.split(";");
  if (!signed.includes("host") || !signed.includes("x-amz-content-sha256")) return "AccessDenied";
  if (headers["x-amz-content-sha256"] !== hash(body)) return "XAmzContentSHA256Mismatch";
  const [path = "", query = ""] = url.split("?");
  const lines = signed.map((name) => `${name}:${String(headers[name] ?? "").trim()}\n`).join("");
  const request = `${method}\n${path}\n${query}\n${lines}\n${names}\n${String(headers["x-amz-content-sha256"])}`;
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = `AWS4-HMAC-SHA256\n${moment}\n${scope}\n${hash(request)}`;
  const key = mac(mac(mac(mac(`AWS4${keys.secret}`, day), region), "s3"), "aws4_request");
  return mac(key, text).toString("hex") === signature ? undefined : "SignatureDoesNotMatch";
}
