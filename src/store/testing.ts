/** For tests of what stands on the store. */
export type { NewInboxEntry } from "./records/gateway.ts";
export type { JobRecord } from "./records/job.ts";
export type { TurnRecord } from "./records/turn.ts";
