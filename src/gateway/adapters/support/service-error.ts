import type { SendErrorClass, SendResult } from "../../platform/outbound.ts";
import { ConnectionError } from "../../platform/platform.ts";
import { neverLeft } from "./never-left.ts";

/** A service as configuration and people name it. */
export interface Service {
  readonly id: string;
  readonly label: string;
}

export interface Refusal {
  readonly errorClass: SendErrorClass;
  /** Without secrets. */
  readonly message: string;
  /** The service's own number or word for it. */
  readonly code?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** What a service says when it refuses. */
export class ServiceError extends Error implements Refusal {
  readonly errorClass: SendErrorClass;
  readonly code: string;
  readonly retryAfterMs: number | undefined;

  constructor({ errorClass, message, code = "", retryAfterMs }: Refusal) {
    super(message);
    this.name = "ServiceError";
    this.errorClass = errorClass;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

export function classOfStatus(status: number): SendErrorClass {
  if (status === 429) return "rate-limited";
  if (status === 401) return "auth";
  if (status === 403) return "permission";
  if (status === 404) return "not-found";
  if (status === 413) return "too-large";
  return status >= 500 ? "network" : "format";
}

/** A service's no, or its silence, as the result of a send. */
export function failureOf(error: unknown): Extract<SendResult, { readonly kind: "failed" }> {
  if (error instanceof ServiceError) {
    const { errorClass, message, retryAfterMs } = error;
    return { kind: "failed", errorClass, message, retryAfterMs };
  }
  const errorClass = neverLeft(error) ? "network" : "timeout";
  return { kind: "failed", errorClass, message: error instanceof Error ? error.message : "no answer" };
}

/** Why there is no connection. Only refused credentials do not get better by waiting. */
export function connectionErrorOf({ id, label }: Service, error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  const { errorClass, message } = failureOf(error);
  if (errorClass === "auth" || errorClass === "permission")
    return new ConnectionError(`${id}_auth`, `${label} does not accept the credentials: ${message}`, {
      isRetryable: false,
    });
  return new ConnectionError(`${id}_network`, `${label} cannot be reached: ${message}`, {
    isRetryable: true,
    cause: error,
  });
}

/** A setting that must be there is not. */
export function missingSetting({ id, label }: Service, variable: string): ConnectionError {
  return new ConnectionError(`${id}_settings`, `${label} needs ${variable}. Set it: hermes gateway setup ${id}`, {
    isRetryable: false,
  });
}
