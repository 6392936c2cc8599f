import { ConnectionError } from "../../platform/platform.ts";
import { failureOf, isAuthError } from "./api.ts";

/** Why Slack cannot be used now. */
export function connectionError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  const { message } = failureOf(error);
  if (isAuthError(error))
    return new ConnectionError("slack_auth", `Slack does not accept the tokens: ${message}`, { isRetryable: false });
  return new ConnectionError("slack_network", `Slack cannot be reached: ${message}`, {
    isRetryable: true,
    cause: error,
  });
}
