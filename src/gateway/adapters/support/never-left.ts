const unreached = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/u;

/** Whether a request failed before the service could have seen any of it; everything else may have arrived. */
export function neverLeft(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if ("code" in cause && unreached.test(String(cause.code))) return true;
  return false;
}
