import { defined } from "#foundation/defined";
import { readTextFile } from "#foundation/files/files";
import { httpRequest } from "#foundation/http/request";
import { momentOf } from "../pool-entry.ts";
import type { AwsChainOptions, AwsCredentials } from "./chain.ts";

const timeoutMs = 10_000;

/** Trades the token a cluster put into a file for the keys of a role. The call itself is not signed. */
export async function assumeRoleWithWebIdentity(
  options: AwsChainOptions,
  signal: AbortSignal,
): Promise<AwsCredentials | undefined> {
  const { env } = options;
  const tokenFile = env.AWS_WEB_IDENTITY_TOKEN_FILE?.trim();
  const role = env.AWS_ROLE_ARN?.trim();
  if (tokenFile === undefined || tokenFile === "" || role === undefined || role === "") return undefined;
  const token = (await readTextFile(tokenFile, { maxBytes: 100_000 }))?.trim();
  if (token === undefined || token === "") return undefined;
  const region = env.AWS_REGION?.trim() || env.AWS_DEFAULT_REGION?.trim() || "us-east-1";
  const body = new URLSearchParams({
    Action: "AssumeRoleWithWebIdentity",
    Version: "2011-06-15",
    RoleArn: role,
    RoleSessionName: env.AWS_ROLE_SESSION_NAME?.trim() || `hermes-${options.clock.now()}`,
    WebIdentityToken: token,
  });
  const named = env.AWS_ENDPOINT_URL_STS?.trim() ?? "";
  const response = await httpRequest(named === "" ? `https://sts.${region}.amazonaws.com/` : named, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: body.toString(),
    signal,
    timeoutMs,
    maxBodyBytes: 100_000,
  });
  signal.throwIfAborted();
  if (response.kind === "failure") return undefined;
  const text = await response.text();
  if (response.status !== 200 || text.kind === "failure") return undefined;
  return readAnswer(text.text);
}

/** The answer is XML of a fixed and flat shape; four values are taken out of it. */
function readAnswer(xml: string): AwsCredentials | undefined {
  const accessKeyId = element(xml, "AccessKeyId");
  const secretAccessKey = element(xml, "SecretAccessKey");
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  const sessionToken = element(xml, "SessionToken");
  const expiresAtMs = momentOf(element(xml, "Expiration"));
  return {
    kind: "keys",
    keys: { accessKeyId, secretAccessKey, ...defined({ sessionToken }) },
    source: "web identity",
    ...defined({ expiresAtMs }),
  };
}

function element(xml: string, name: string): string | undefined {
  const start = xml.indexOf(`<${name}>`);
  const end = xml.indexOf(`</${name}>`, start);
  return start < 0 || end < 0 ? undefined : xml.slice(start + name.length + 2, end).trim();
}
