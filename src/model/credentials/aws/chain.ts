import { join } from "node:path";
import { defined } from "#foundation/defined";
import { readTextFile } from "#foundation/files/files";
import type { AwsKeys } from "#foundation/http/aws-signature";
import { httpRequest } from "#foundation/http/request";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import { hostOf, isLocalHost } from "../../providers/hosts.ts";
import { momentOf } from "../pool-entry.ts";
import { usableKey } from "../usable-key.ts";
import { readAwsFile } from "./profile-file.ts";
import { assumeRoleWithWebIdentity } from "./web-identity.ts";

export type AwsCredentials =
  /** A Bedrock API key, sent as a bearer token. */
  | { readonly kind: "bearer"; readonly token: string; readonly source: string }
  | { readonly kind: "keys"; readonly keys: AwsKeys; readonly source: string; readonly expiresAtMs?: number };

export interface AwsChainOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userHome: string;
  readonly clock: Clock;
  /** Asking an instance takes a second on machines that are none, so it is done only when asked for. */
  readonly askInstance?: boolean;
}

/**
 * The places AWS programs look for credentials, in their order: a Bedrock key, the key pair of the
 * environment, web identity, the profile files, the container, the instance.
 */
export async function findAwsCredentials(
  options: AwsChainOptions,
  signal: AbortSignal,
): Promise<AwsCredentials | undefined> {
  return (
    fromBearer(options) ??
    fromEnvironment(options) ??
    (await assumeRoleWithWebIdentity(options, signal)) ??
    (await fromProfile(options)) ??
    (await fromContainer(options, signal)) ??
    (options.askInstance === true ? await fromInstance(options, signal) : undefined)
  );
}

/** Whether anything suggests AWS credentials, without asking anybody. */
export async function hasAwsCredentials(options: AwsChainOptions): Promise<boolean> {
  const { env } = options;
  if (fromBearer(options) !== undefined || fromEnvironment(options) !== undefined) return true;
  const telling = [
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
  ];
  if (telling.some((name) => (env[name]?.trim() ?? "") !== "")) return true;
  return (await fromProfile(options)) !== undefined;
}

function fromBearer({ env }: AwsChainOptions): AwsCredentials | undefined {
  const token = usableKey(env.AWS_BEARER_TOKEN_BEDROCK);
  return token === undefined ? undefined : { kind: "bearer", token, source: "env:AWS_BEARER_TOKEN_BEDROCK" };
}

function fromEnvironment({ env }: AwsChainOptions): AwsCredentials | undefined {
  const accessKeyId = usableKey(env.AWS_ACCESS_KEY_ID);
  const secretAccessKey = usableKey(env.AWS_SECRET_ACCESS_KEY);
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  const sessionToken = usableKey(env.AWS_SESSION_TOKEN);
  const keys = { accessKeyId, secretAccessKey, ...defined({ sessionToken }) };
  return { kind: "keys", keys, source: "env:AWS_ACCESS_KEY_ID" };
}

const maxFileBytes = 1_000_000;

async function fromProfile({ env, userHome }: AwsChainOptions): Promise<AwsCredentials | undefined> {
  const profile = env.AWS_PROFILE?.trim() || env.AWS_DEFAULT_PROFILE?.trim() || "default";
  const folder = join(userHome, ".aws");
  const files = [
    env.AWS_SHARED_CREDENTIALS_FILE?.trim() || join(folder, "credentials"),
    env.AWS_CONFIG_FILE?.trim() || join(folder, "config"),
  ];
  for (const path of files) {
    const text = await readTextFile(path, { maxBytes: maxFileBytes });
    const section = text === undefined ? undefined : readAwsFile(text).get(profile);
    const accessKeyId = section?.aws_access_key_id;
    const secretAccessKey = section?.aws_secret_access_key;
    if (accessKeyId === undefined || secretAccessKey === undefined) continue;
    const sessionToken = section?.aws_session_token;
    return {
      kind: "keys",
      keys: { accessKeyId, secretAccessKey, ...defined({ sessionToken }) },
      source: `profile:${profile}`,
    };
  }
  return undefined;
}

const containerHost = "http://169.254.170.2";
/** Addresses the container services are known to answer on; anything else must use TLS. */
const containerHosts = new Set(["169.254.170.2", "169.254.170.23", "fd00:ec2::23", "localhost", "127.0.0.1", "::1"]);

async function fromContainer(options: AwsChainOptions, signal: AbortSignal): Promise<AwsCredentials | undefined> {
  const { env } = options;
  const relative = env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI?.trim();
  const full = env.AWS_CONTAINER_CREDENTIALS_FULL_URI?.trim();
  const url = relative ? `${containerHost}${relative}` : full;
  if (url === undefined || url === "" || !isTrustedContainerUrl(url)) return undefined;
  const tokenFile = env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE?.trim();
  const token =
    tokenFile === undefined || tokenFile === ""
      ? env.AWS_CONTAINER_AUTHORIZATION_TOKEN?.trim()
      : (await readTextFile(tokenFile, { maxBytes: maxFileBytes }))?.trim();
  const headers: Record<string, string> = token === undefined || token === "" ? {} : { Authorization: token };
  return toCredentials(await getText(url, { headers }, signal), "container");
}

function isTrustedContainerUrl(url: string): boolean {
  const host = hostOf(url);
  if (host === undefined) return false;
  return url.startsWith("https://") || containerHosts.has(host) || (isLocalHost(host) && host.startsWith("127."));
}

const instanceTimeoutMs = 1_000;

/** Version 2 of the instance service: a session first, then the role, then its keys. */
async function fromInstance(options: AwsChainOptions, signal: AbortSignal): Promise<AwsCredentials | undefined> {
  if (options.env.AWS_EC2_METADATA_DISABLED?.toLowerCase() === "true") return undefined;
  const named = options.env.AWS_EC2_METADATA_SERVICE_ENDPOINT?.trim() ?? "";
  const root = named === "" ? "http://169.254.169.254" : named.replace(/\/$/, "");
  const session = await getText(
    `${root}/latest/api/token`,
    { method: "PUT", headers: { "x-aws-ec2-metadata-token-ttl-seconds": "21600" } },
    signal,
  );
  if (session === undefined) return undefined;
  const headers = { "x-aws-ec2-metadata-token": session };
  const base = `${root}/latest/meta-data/iam/security-credentials/`;
  const role = (await getText(base, { headers }, signal))?.split("\n")[0]?.trim();
  if (role === undefined || role === "") return undefined;
  return toCredentials(await getText(base + encodeURIComponent(role), { headers }, signal), "instance role");
}

async function getText(
  url: string,
  request: { readonly method?: string; readonly headers: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<string | undefined> {
  const response = await httpRequest(url, {
    method: request.method ?? "GET",
    headers: request.headers,
    signal,
    timeoutMs: instanceTimeoutMs,
    maxBodyBytes: 64_000,
    proxy: false,
  });
  signal.throwIfAborted();
  if (response.kind === "failure") return undefined;
  const text = await response.text();
  return response.status === 200 && text.kind === "text" ? text.text : undefined;
}

function toCredentials(text: string | undefined, source: string): AwsCredentials | undefined {
  const parsed = text === undefined ? undefined : parseJson(text);
  if (parsed?.ok !== true || !isRecord(parsed.value)) return undefined;
  const { AccessKeyId: id, SecretAccessKey: secret, Token: token, Expiration: until } = parsed.value;
  if (typeof id !== "string" || typeof secret !== "string") return undefined;
  const expiresAtMs = momentOf(until);
  return {
    kind: "keys",
    keys: {
      accessKeyId: id,
      secretAccessKey: secret,
      ...(typeof token === "string" ? { sessionToken: token } : {}),
    },
    source,
    ...defined({ expiresAtMs }),
  };
}
