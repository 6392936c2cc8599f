import { signAws } from "#foundation/http/aws-signature";
import { Secret } from "#foundation/secrets/secret";
import type { CredentialHandle } from "../../credential-handle.ts";
import { maskKey } from "../mask.ts";
import { toError } from "../refresh.ts";
import { checkScope } from "../scoped.ts";
import { type AwsChainOptions, type AwsCredentials, findAwsCredentials } from "./chain.ts";

/** Keys of a role end; they are looked up again this long before. */
const earlyMs = 300_000;

export interface AwsCredentialOptions extends AwsChainOptions {
  readonly region: string;
  readonly service: string;
  readonly allowedHosts: readonly string[];
}

export const noAwsCredentials = {
  code: "no_aws_credentials",
  message: "No AWS credentials were found.",
  hint: "Set AWS_BEARER_TOKEN_BEDROCK or AWS_PROFILE, or run: aws configure",
} as const;

/** Signs each request with the AWS credentials of this machine, looked up once and again when they end. */
export async function openAwsCredential(
  options: AwsCredentialOptions,
  signal: AbortSignal,
): Promise<CredentialHandle | undefined> {
  let held = await findAwsCredentials(options, signal);
  if (held === undefined) return undefined;
  const { source } = held;
  const { allowedHosts } = options;
  const isFresh = (found: AwsCredentials): boolean =>
    found.kind === "bearer" || found.expiresAtMs === undefined || options.clock.now() < found.expiresAtMs - earlyMs;
  return {
    id: "aws",
    source,
    allowedHosts,
    get masked() {
      return held === undefined ? "***" : maskKey(held.kind === "bearer" ? held.token : held.keys.accessKeyId);
    },
    get secrets() {
      return held === undefined ? [] : secretsOf(held);
    },
    async authorize(input, callSignal) {
      checkScope(input.url, { source, allowedHosts });
      if (held === undefined || !isFresh(held)) held = await findAwsCredentials(options, callSignal);
      if (held === undefined) throw toError(noAwsCredentials);
      if (held.kind === "bearer") return { Authorization: `Bearer ${held.token}` };
      const { region, service, clock } = options;
      return signAws(input, held.keys, { region, service, nowMs: clock.now() });
    },
    async refresh(callSignal) {
      const before = held;
      held = await findAwsCredentials(options, callSignal);
      if (held === undefined || before === undefined) return held !== undefined;
      return JSON.stringify(held) !== JSON.stringify(before);
    },
  };
}

function secretsOf(found: AwsCredentials): readonly Secret[] {
  if (found.kind === "bearer") return [new Secret(found.token)];
  const { secretAccessKey, sessionToken } = found.keys;
  return [secretAccessKey, sessionToken].filter((text) => text !== undefined).map((text) => new Secret(text));
}
