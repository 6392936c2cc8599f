import { createHash } from "node:crypto";
import { defined } from "#foundation/defined";
import type { Secret } from "#foundation/secrets/secret";
import { type Exhaustion, isManual, type PoolAuthType, type PoolEntry } from "../pool-entry.ts";
import type { TokenSource } from "../scoped.ts";
import type { FoundCredential } from "../sources.ts";

/** An entry of the pool together with its value, wherever that comes from. */
export interface PoolMember {
  readonly id: string;
  readonly label: string;
  readonly source: string;
  readonly authType: PoolAuthType;
  readonly priority: number;
  readonly requestCount: number;
  readonly secret: Secret;
  readonly baseUrl?: string;
  readonly exhausted?: Exhaustion;
  /** Renews the value; undefined for plain keys and for entries the pool itself stores. */
  readonly tokens?: TokenSource;
  /** The entry as it is stored. */
  toEntry(): PoolEntry;
}

/** Stored entries and what the sources hold now, as one list by priority. */
export function joinMembers(
  stored: readonly PoolEntry[],
  found: readonly FoundCredential[],
  suppressed: readonly string[],
): readonly PoolMember[] {
  const manual = stored.filter(isManual).flatMap(fromStored);
  const automatic = found
    .filter((one) => !suppressed.includes(one.source))
    .map((one, index) => fromSource(one, index, stored));
  // What the person added comes after what the environment says, unless its priority says otherwise.
  return [...automatic, ...manual].sort((one, other) => one.priority - other.priority);
}

function fromStored(entry: PoolEntry): readonly PoolMember[] {
  if (entry.accessToken === undefined) return [];
  return [
    {
      id: entry.id,
      label: entry.label,
      source: entry.source,
      authType: entry.authType,
      priority: entry.priority,
      requestCount: entry.requestCount,
      secret: entry.accessToken,
      ...defined({ baseUrl: entry.baseUrl, exhausted: entry.exhausted }),
      toEntry() {
        return { ...entry, requestCount: this.requestCount };
      },
    },
  ];
}

function fromSource(one: FoundCredential, index: number, stored: readonly PoolEntry[]): PoolMember {
  const fingerprint = fingerprintOf(one);
  const known = stored.find((entry) => entry.source === one.source);
  // State that belongs to another value says nothing about this one. Stores of other versions keep the value itself.
  const isSameValue =
    known !== undefined &&
    (known.fingerprint === undefined
      ? known.accessToken === undefined || known.accessToken.equals(one.secret)
      : known.fingerprint === fingerprint);
  const state = isSameValue ? known : undefined;
  const id = known?.id ?? fingerprintOf({ source: one.source }).slice(0, 6);
  return {
    id,
    label: one.label,
    source: one.source,
    authType: one.authType,
    priority: state?.priority ?? index,
    requestCount: state?.requestCount ?? 0,
    secret: one.secret,
    ...defined({ baseUrl: one.baseUrl }),
    ...defined({ exhausted: state?.exhausted }),
    ...defined({ tokens: one.tokens }),
    toEntry() {
      const { access_token: _value, refresh_token: _other, ...rest } = known?.rest ?? {};
      return {
        id,
        label: one.label,
        authType: one.authType,
        priority: this.priority,
        source: one.source,
        ...defined({ baseUrl: one.baseUrl, exhausted: this.exhausted }),
        requestCount: this.requestCount,
        fingerprint,
        rest,
      };
    },
  };
}

/** Logins change their token all the time; they are known by their source. */
function fingerprintOf(one: Pick<FoundCredential, "source"> & Partial<FoundCredential>): string {
  const value = one.authType === "api_key" ? (one.secret?.reveal() ?? "") : "";
  return createHash("sha256").update(`${one.source}\n${value}`).digest("hex").slice(0, 16);
}
