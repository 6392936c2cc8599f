import { createHash } from "node:crypto";
import { UserError } from "#foundation/errors";
import { ask, errorCodeIn, numberIn, postForm, textIn } from "#foundation/http/ask";
import { type DeviceCode, deviceGrantType, standardPoll } from "#foundation/http/device-code";
import { ownEnvironment } from "#foundation/process/platform";
import { runProcess } from "#foundation/process/run";
import { Secret } from "#foundation/secrets/secret";
import { clientIds, copilotExchangeAgent } from "../../providers/identification.ts";
import { loginOf, withLogin } from "../auth-state.ts";
import { type LoginFailure, toError } from "../refresh.ts";
import type { AccessToken, TokenSource } from "../scoped.ts";
import { usableKey } from "../usable-key.ts";
import { codeOf, type Poll, runDeviceFlow } from "./device-flow.ts";
import { type AuthFlow, declined, type FlowContext, unavailable } from "./flow.ts";
import { forgetLogin } from "./login-record.ts";

const provider = "copilot";

export interface CopilotEndpoints {
  readonly deviceCode: string;
  readonly deviceToken: string;
  readonly exchange: string;
}

const copilotEndpoints: CopilotEndpoints = {
  deviceCode: "https://github.com/login/device/code",
  deviceToken: "https://github.com/login/oauth/access_token",
  exchange: "https://api.github.com/copilot_internal/v2/token",
};

const copilotNotice =
  "Copilot is licensed per person for use in editors. Check that your plan covers an agent before you log in.";

const loginLimitMs = 300_000;
const earlyMs = 120_000;
const assumedLifeMs = 1_800_000;

export type GitHubToken =
  | { readonly kind: "token"; readonly secret: Secret; readonly source: string }
  | { readonly kind: "missing" }
  /** There is a token, but of a kind Copilot does not take. */
  | { readonly kind: "unsupported"; readonly source: string };

const accepted = ["gho_", "github_pat_", "ghu_"];

/** Environment first, then our own login, then what the GitHub program holds. Classic tokens are passed over. */
export async function findGitHubToken(context: FlowContext, signal: AbortSignal): Promise<GitHubToken> {
  let unsupported: string | undefined;
  for (const name of ["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"]) {
    const value = usableKey(context.env[name]);
    if (value === undefined) continue;
    if (accepted.some((prefix) => value.startsWith(prefix))) {
      return { kind: "token", secret: new Secret(value), source: `env:${name}` };
    }
    unsupported ??= name;
  }
  const stored = loginOf(await context.authFile.read(signal), provider);
  const own = stored === undefined ? undefined : textIn(stored, "access_token");
  if (own !== undefined) return { kind: "token", secret: new Secret(own), source: "device_code" };
  const lent = await askGitHubProgram(context, signal);
  if (lent !== undefined) {
    if (accepted.some((prefix) => lent.startsWith(prefix))) {
      return { kind: "token", secret: new Secret(lent), source: "gh auth token" };
    }
    unsupported ??= "gh auth token";
  }
  return unsupported === undefined ? { kind: "missing" } : { kind: "unsupported", source: unsupported };
}

const programTimeoutMs = 5_000;

/** Without the token variables, which the program would only echo. */
async function askGitHubProgram(context: FlowContext, signal: AbortSignal): Promise<string | undefined> {
  const { GH_TOKEN: _one, GITHUB_TOKEN: _other, ...env } = ownEnvironment(context.env, [process.cwd()]);
  const host = env.COPILOT_GH_HOST?.trim();
  const args = ["auth", "token", ...(host === undefined || host === "" ? [] : ["--hostname", host])];
  try {
    const result = await runProcess("gh", args, { env, signal, timeoutMs: programTimeoutMs, maxOutputBytes: 10_000 });
    return result.exitCode === 0 ? usableKey(result.stdout.toString()) : undefined;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

const unsupportedToken: LoginFailure = {
  kind: "failure",
  code: "unsupported_token_type",
  message:
    "Copilot does not take classic personal access tokens (ghp_…); it takes tokens that start with gho_, ghu_ or github_pat_.",
  hint: "Log in with: hermes auth add copilot",
};

const missing: LoginFailure = {
  kind: "failure",
  code: "missing_api_key",
  message: "There is no GitHub token for Copilot.",
  hint: "Log in with: hermes auth add copilot",
};

interface Exchanged {
  readonly secret: Secret;
  readonly expiresAtMs: number;
}

/** Trades the GitHub token for a short-lived Copilot token, and keeps it until shortly before its end. */
export class CopilotTokens implements TokenSource {
  readonly #context: FlowContext;
  readonly #endpoints: CopilotEndpoints;
  readonly isLazy = true;
  readonly #exchanged = new Map<string, Exchanged>();
  #secrets: readonly Secret[] = [];
  /** Looked for once: asking the GitHub program starts a process. */
  #github: Extract<GitHubToken, { kind: "token" }> | undefined;

  constructor(context: FlowContext, endpoints: CopilotEndpoints = copilotEndpoints) {
    this.#context = context;
    this.#endpoints = endpoints;
  }

  get secrets(): readonly Secret[] {
    return this.#secrets;
  }

  async current(signal: AbortSignal): Promise<AccessToken> {
    const found = this.#github ?? (await findGitHubToken(this.#context, signal));
    if (found.kind !== "token") throw toError(found.kind === "missing" ? missing : unsupportedToken);
    this.#github = found;
    const fingerprint = createHash("sha256").update(found.secret.reveal()).digest("hex");
    const kept = this.#exchanged.get(fingerprint);
    const token = kept !== undefined && this.#isFresh(kept) ? kept : await this.#exchange(found.secret, signal);
    if (token === undefined) {
      this.#secrets = [found.secret];
      return { secret: found.secret };
    }
    this.#exchanged.set(fingerprint, token);
    this.#secrets = [token.secret, found.secret];
    return token;
  }

  /** Forgets the traded token; the next call looks for the GitHub token again and trades it anew. */
  async renew(signal: AbortSignal): Promise<boolean> {
    this.#exchanged.clear();
    this.#github = undefined;
    return (await findGitHubToken(this.#context, signal)).kind === "token";
  }

  #isFresh(token: Exchanged): boolean {
    return this.#context.clock.now() < token.expiresAtMs - earlyMs;
  }

  /** Undefined: the trade failed, and the GitHub token is used as it is. */
  async #exchange(secret: Secret, signal: AbortSignal): Promise<Exchanged | undefined> {
    const answer = await ask(
      this.#endpoints.exchange,
      {
        method: "GET",
        body: { kind: "none" },
        headers: { Authorization: `token ${secret.reveal()}`, "User-Agent": copilotExchangeAgent },
        client: this.#context.client,
      },
      signal,
    );
    if (answer.kind === "unreachable" || answer.status !== 200) return undefined;
    const token = textIn(answer.body, "token");
    if (token === undefined) return undefined;
    const seconds = numberIn(answer.body, "expires_at");
    const expiresAtMs = seconds === undefined ? this.#context.clock.now() + assumedLifeMs : seconds * 1000;
    return { secret: new Secret(token), expiresAtMs };
  }
}

export function createCopilotFlow(context: FlowContext, endpoints: CopilotEndpoints = copilotEndpoints): AuthFlow {
  return {
    provider,
    async login(ui, signal) {
      if (!(await ui.confirm(copilotNotice, signal))) return declined;
      const code = await requestCode(endpoints, context, signal);
      if ("kind" in code) return code;
      const granted = await runDeviceFlow(
        {
          provider,
          code,
          poll: (input, pollSignal) => poll(input, endpoints, pollSignal),
          clock: context.clock,
          ui,
          marginMs: 3_000,
          limitMs: loginLimitMs,
        },
        signal,
      );
      if (granted.kind === "failure") return granted;
      await context.authFile.update(
        (state) => withLogin(state, provider, { ...loginOf(state, provider), access_token: granted.value }),
        signal,
      );
      return { kind: "logged-in" };
    },
    tokens: () => new CopilotTokens(context, endpoints),
    async status(signal) {
      const found = await findGitHubToken(context, signal);
      if (found.kind !== "token") return { kind: "logged-out" };
      return { kind: "logged-in", source: found.source, secret: found.secret };
    },
    logout: (signal) => forgetLogin({ authFile: context.authFile, provider }, signal),
    async find({ mayReadForeignLogin }, signal) {
      const found = mayReadForeignLogin ? await findGitHubToken(context, signal) : undefined;
      if (found?.kind !== "token") return [];
      const { source, secret } = found;
      return [{ source, label: "GitHub", authType: "oauth", secret, tokens: new CopilotTokens(context, endpoints) }];
    },
    async refusal(signal) {
      const found = await findGitHubToken(context, signal);
      return found.kind === "unsupported" ? { ...unsupportedToken, source: found.source } : undefined;
    },
  };
}

async function requestCode(
  endpoints: CopilotEndpoints,
  { client }: FlowContext,
  signal: AbortSignal,
): Promise<DeviceCode | LoginFailure> {
  const fields = { client_id: clientIds.copilot, scope: "read:user" };
  return codeOf(await postForm(endpoints.deviceCode, fields, { signal, client }), "GitHub");
}

async function poll(code: DeviceCode, endpoints: CopilotEndpoints, signal: AbortSignal): Promise<Poll<string>> {
  const answer = await postForm(
    endpoints.deviceToken,
    {
      client_id: clientIds.copilot,
      device_code: code.deviceCode,
      grant_type: deviceGrantType,
    },
    { signal },
  );
  if (answer.kind === "unreachable") return answer;
  const token = textIn(answer.body, "access_token");
  if (token !== undefined) return { kind: "granted", value: token };
  return standardPoll(errorCodeIn(answer.body)) ?? unavailable("GitHub", `HTTP ${answer.status}`);
}
