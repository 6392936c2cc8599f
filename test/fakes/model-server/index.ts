/** A fake model provider for tests and benchmarks; see README.md. */
export type { FirstDifference } from "./cache/first-difference.ts";
export type { CacheLedger } from "./cache/ledger.ts";
export type { LedgerEntry } from "./cache/ledger-entry.ts";
export type { LedgerTotals } from "./cache/totals.ts";
export {
  badKey,
  contextOverflow,
  fails,
  modelNotFound,
  noCredit,
  overloaded,
  payloadTooLarge,
  policyBlocked,
  rateLimited,
  serverError,
} from "./failures.ts";
export {
  crlf,
  cutAfter,
  failsMidway,
  hang,
  hangAfter,
  malformedFrame,
  noDone,
  noFinish,
  pings,
  slow,
  splitBytes,
  withHeaders,
} from "./faults.ts";
export type { Fragments } from "./fragments.ts";
export type { LocalServer, ModelEntry } from "./models-endpoints.ts";
export type { ModelServerOptions } from "./options.ts";
export type { ProbeRecord } from "./probes.ts";
export { emptyBody, events, html, json, raw } from "./raw-replies.ts";
export type { Protocol, ReceivedRequest } from "./received-request.ts";
export type { ChatDialect } from "./render/wire-reply.ts";
export type {
  CallOptions,
  FailureOptions,
  Finish,
  Limit,
  MessageOptions,
  ReasoningField,
  ReasoningOptions,
  Reply,
  ReplyUsage,
  TextOptions,
} from "./reply.ts";
export { calls, refuses, reply, says, thinks } from "./reply.ts";
export type { ScriptEntry } from "./script.ts";
export { type ModelServer, startModelServer } from "./server.ts";
export { allRules, type Rejection, type StrictOptions } from "./strict/index.ts";
export type { WireObject } from "./wire-object.ts";
