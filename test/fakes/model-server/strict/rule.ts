import type { Issued } from "../issued.ts";
import type { ReceivedRequest } from "../received-request.ts";
import type { FailureContent } from "../reply.ts";
import type { WireObject } from "../wire-object.ts";

/** What a rule may look at. */
export interface Subject {
  readonly request: ReceivedRequest;
  readonly body: WireObject;
  readonly issued: Issued;
  /** Further top-level fields that this server accepts. */
  readonly extraFields: readonly string[];
  /** Further fields of messages (or input items) that this server accepts. */
  readonly extraMessageFields: readonly string[];
  readonly apiKey?: string;
  readonly contextWindow?: number;
  readonly promptTokens: number;
}

/** Why a request is refused, in the provider's words. */
export interface Complaint {
  readonly message: string;
  readonly param?: string;
  readonly code?: string;
  /** Another failure than the usual 400, for example a wrong key. */
  readonly failure?: FailureContent;
}

export type Check = (subject: Subject) => Complaint | undefined;

export interface Rule {
  /** `protocol/what-must-hold`. */
  readonly id: string;
  /** Only some providers insist; active when asked for by id. */
  readonly isOptIn?: boolean;
  readonly check: Check;
}

export function complain(message: string, param?: string, code?: string): Complaint {
  return { message, ...(param === undefined ? {} : { param }), ...(code === undefined ? {} : { code }) };
}

/** The first complaint over a list, in order. */
export function firstComplaint<T>(
  items: Iterable<T>,
  check: (item: T, index: number) => Complaint | undefined,
): Complaint | undefined {
  let index = 0;
  for (const item of items) {
    const complaint = check(item, index);
    if (complaint !== undefined) return complaint;
    index += 1;
  }
  return undefined;
}

export function unknownKey(object: WireObject, known: readonly string[]): string | undefined {
  return Object.keys(object).find((key) => !known.includes(key));
}
