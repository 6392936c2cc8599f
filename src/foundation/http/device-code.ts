import { defined } from "../defined.ts";
import type { Clock } from "../time/clock.ts";
import { type Exchange, numberIn, textIn } from "./ask.ts";

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

export const deviceGrantType = "urn:ietf:params:oauth:grant-type:device_code";

/** The code of an answer by RFC 8628; undefined when there is none in it. */
export function readDeviceCode(answer: Exchange): DeviceCode | undefined {
  if (answer.kind === "unreachable" || answer.status !== 200) return undefined;
  const { body } = answer;
  const deviceCode = textIn(body, "device_code");
  const userCode = textIn(body, "user_code");
  const completeUrl = textIn(body, "verification_uri_complete");
  const url = textIn(body, "verification_uri") ?? completeUrl;
  if (deviceCode === undefined || userCode === undefined || url === undefined) return undefined;
  return {
    deviceCode,
    userCode,
    url,
    ...defined({ completeUrl }),
    intervalMs: (numberIn(body, "interval") ?? 5) * 1000,
    expiresInMs: (numberIn(body, "expires_in") ?? 900) * 1000,
  };
}

export type DevicePoll<T, F = never> =
  | { readonly kind: "pending" }
  /** `addMs` defaults to the five seconds of RFC 8628. */
  | { readonly kind: "slow-down"; readonly addMs?: number }
  | { readonly kind: "granted"; readonly value: T }
  | { readonly kind: "denied" }
  | { readonly kind: "expired" }
  | { readonly kind: "unreachable"; readonly message: string }
  | F;

/** The answers of RFC 8628 that are no token; undefined for anything else. */
export function standardPoll(error: string | undefined): DevicePoll<never> | undefined {
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

export interface DevicePolling<T, F> {
  readonly code: DeviceCode;
  poll(code: DeviceCode, signal: AbortSignal): Promise<DevicePoll<T, F>>;
  readonly clock: Clock;
  readonly minIntervalMs?: number;
  readonly maxIntervalMs?: number;
  /** Added to every wait; some services count from their own clock. */
  readonly marginMs?: number;
  readonly limitMs: number;
}

/** A server that is out of reach for a moment does not end a login somebody is busy with; this many in a row do. */
const maxUnreachable = 5;
const slowDownMs = 5_000;

/** RFC 8628: asks until the person has typed the code in, refused it, or let it lapse. */
export async function pollDeviceCode<T, F extends { readonly kind: "failure" }>(
  polling: DevicePolling<T, F>,
  signal: AbortSignal,
): Promise<Exclude<DevicePoll<T, F>, { readonly kind: "pending" | "slow-down" }>> {
  const { code, clock } = polling;
  const endsAtMs = clock.now() + Math.min(code.expiresInMs, polling.limitMs);
  let intervalMs = Math.max(code.intervalMs, polling.minIntervalMs ?? 1_000);
  let failures = 0;
  for (;;) {
    await clock.sleep(intervalMs + (polling.marginMs ?? 0), signal);
    if (clock.now() >= endsAtMs) return { kind: "expired" };
    const answer: DevicePoll<T, F> = await polling.poll(code, signal);
    failures = answer.kind === "unreachable" ? failures + 1 : 0;
    if (answer.kind === "slow-down")
      intervalMs = Math.min(intervalMs + (answer.addMs ?? slowDownMs), polling.maxIntervalMs ?? 60_000);
    else if (answer.kind !== "pending" && (answer.kind !== "unreachable" || failures >= maxUnreachable))
      return answer as Exclude<DevicePoll<T, F>, { readonly kind: "pending" | "slow-down" }>;
  }
}
