import type { Exchange } from "#foundation/http/ask";
import {
  type DeviceCode,
  type DevicePoll,
  type DevicePolling,
  pollDeviceCode,
  readDeviceCode,
} from "#foundation/http/device-code";
import type { LoginFailure } from "../refresh.ts";
import { type LoginUi, unavailable } from "./flow.ts";

export type Poll<T> = DevicePoll<T, LoginFailure>;

export interface DeviceFlowOptions<T> extends DevicePolling<T, LoginFailure> {
  readonly provider: string;
  readonly ui: LoginUi;
}

/** The code that a service answered with. */
export function codeOf(answer: Exchange, service: string): DeviceCode | LoginFailure {
  if (answer.kind === "unreachable") return unavailable(service, answer.message);
  return readDeviceCode(answer) ?? unavailable(service, `HTTP ${answer.status} instead of a code`);
}

/** Shows a code, then waits until it was typed in; everything else is a failure with what to do. */
export async function runDeviceFlow<T>(
  options: DeviceFlowOptions<T>,
  signal: AbortSignal,
): Promise<{ readonly kind: "granted"; readonly value: T } | LoginFailure> {
  const { code, ui, provider } = options;
  ui.showPage({ url: code.completeUrl ?? code.url, userCode: code.userCode });
  if (!ui.isHeadless) await ui.openBrowser(code.completeUrl ?? code.url);
  const outcome = await pollDeviceCode(options, signal);
  switch (outcome.kind) {
    case "granted":
    case "failure":
      return outcome;
    case "unreachable":
      return unavailable(provider, outcome.message);
    case "denied":
      return {
        kind: "failure",
        code: "login_denied",
        message: "The login was refused in the browser.",
        hint: `Start again with: hermes auth add ${provider}`,
      };
    case "expired":
      return {
        kind: "failure",
        code: "device_code_timeout",
        message: "The code was not entered in time.",
        hint: `Get a new one with: hermes auth add ${provider}`,
      };
  }
}
