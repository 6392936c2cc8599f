import type { Clock } from "#foundation/time/clock";
import type { LoginFailure } from "../refresh.ts";
import type { LoginUi } from "./flow.ts";

export interface DeviceCode {
  /** What the service knows the attempt by. */
  readonly deviceCode: string;
  readonly userCode: string;
  readonly url: string;
  /** The same address with the code filled in. */
  readonly completeUrl?: string;
  readonly intervalMs: number;
  readonly expiresInMs: number;
}

export type Poll<T> =
  | { readonly kind: "pending" }
  /** `addMs` defaults to the five seconds of RFC 8628. */
  | { readonly kind: "slow-down"; readonly addMs?: number }
  | { readonly kind: "granted"; readonly value: T }
  | { readonly kind: "denied" }
  | { readonly kind: "expired" }
  | { readonly kind: "unreachable"; readonly message: string }
  | LoginFailure;

export interface DeviceFlowOptions<T> {
  readonly provider: string;
  readonly code: DeviceCode;
  poll(code: DeviceCode, signal: AbortSignal): Promise<Poll<T>>;
  readonly clock: Clock;
  readonly ui: LoginUi;
  readonly minIntervalMs?: number;
  readonly maxIntervalMs?: number;
  /** Added to every wait; some services count from their own clock. */
  readonly marginMs?: number;
  readonly limitMs: number;
}

export type DeviceOutcome<T> = { readonly kind: "granted"; readonly value: T } | LoginFailure;

/** A server that is out of reach for a moment does not end a login somebody is busy with; this many in a row do. */
const maxUnreachable = 5;
const slowDownMs = 5_000;

/** RFC 8628: shows a code, then asks until the person has typed it in, refused it, or let it lapse. */
export async function runDeviceFlow<T>(options: DeviceFlowOptions<T>, signal: AbortSignal): Promise<DeviceOutcome<T>> {
  const { code, clock, ui } = options;
  ui.showCode({ url: code.completeUrl ?? code.url, userCode: code.userCode });
  if (!ui.isHeadless) await ui.openBrowser(code.completeUrl ?? code.url);

  const endsAtMs = clock.now() + Math.min(code.expiresInMs, options.limitMs);
  let intervalMs = Math.max(code.intervalMs, options.minIntervalMs ?? 1_000);
  let failures = 0;
  for (;;) {
    await clock.sleep(intervalMs + (options.marginMs ?? 0), signal);
    if (clock.now() >= endsAtMs) return timedOut(options.provider);
    const answer = await options.poll(code, signal);
    failures = answer.kind === "unreachable" ? failures + 1 : 0;
    switch (answer.kind) {
      case "granted":
      case "failure":
        return answer;
      case "denied":
        return {
          kind: "failure",
          code: "login_denied",
          message: "The login was refused in the browser.",
          hint: `Start again with: hermes auth add ${options.provider}`,
        };
      case "expired":
        return timedOut(options.provider);
      case "slow-down":
        intervalMs = Math.min(intervalMs + (answer.addMs ?? slowDownMs), options.maxIntervalMs ?? 60_000);
        break;
      case "unreachable":
        if (failures >= maxUnreachable) {
          return {
            kind: "failure",
            code: "temporarily_unavailable",
            message: `The login service gave no answer: ${answer.message}.`,
            hint: "Check the network and start again.",
          };
        }
        break;
      case "pending":
        break;
    }
  }
}

function timedOut(provider: string): LoginFailure {
  return {
    kind: "failure",
    code: "device_code_timeout",
    message: "The code was not entered in time.",
    hint: `Get a new one with: hermes auth add ${provider}`,
  };
}

/** The answers of RFC 8628 that are no token; undefined for anything else. */
export function standardPoll(error: string | undefined): Poll<never> | undefined {
  switch (error) {
    case "authorization_pending":
      return { kind: "pending" };
    case "slow_down":
      return { kind: "slow-down" };
    case "access_denied":
      return { kind: "denied" };
    case "expired_token":
      return { kind: "expired" };
    default:
      return undefined;
  }
}
