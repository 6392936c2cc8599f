import type { Fetch } from "#foundation/http/fetch";
import { neverLeft } from "../support/never-left.ts";

/** An address of api.telegram.org that has been the same for years. */
const lastResort = "149.154.167.220";
const unresolved = /^(?:ENOTFOUND|EAI_AGAIN|EAI_FAIL|ENODATA)$/u;

/** The addresses to try where the name of Telegram's server cannot be found. */
export function fallbackAddresses({ base_url: ownServer, fallback_ips: listed }: FallbackSettings): readonly string[] {
  return ownServer === "" ? [...new Set([...listed, lastResort])] : listed;
}

interface FallbackSettings {
  readonly base_url: string;
  readonly fallback_ips: readonly string[];
}

/**
 * Goes to these addresses where the name of the server cannot be found: some networks block it. The request and the
 * certificate are still those of the name. An address that worked is kept until it does not.
 */
export function withFallback(send: Fetch, addresses: readonly string[]): Fetch {
  let kept: string | undefined;
  return async (url, init = {}) => {
    if (kept === undefined) {
      try {
        return await send(url, init);
      } catch (error) {
        if (!isUnresolved(error) || addresses.length === 0) throw error;
      }
    }
    const tried = kept === undefined ? addresses : [kept, ...addresses.filter((one) => one !== kept)];
    let failure: unknown;
    for (const address of tried) {
      try {
        const answer = await send(url, { ...init, addresses: [address] });
        kept = address;
        return answer;
      } catch (error) {
        init.signal?.throwIfAborted();
        failure = error;
        kept = undefined;
        // What may have arrived is not sent again.
        if (!neverLeft(error)) throw error;
      }
    }
    throw failure;
  };
}

function isUnresolved(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if ("code" in cause && unresolved.test(String(cause.code))) return true;
  return false;
}
