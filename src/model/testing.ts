/** For tests of what stands on models. */
export { MemoryMoneyLedger } from "./budget/memory-ledger.ts";
export { streamModel } from "./client.ts";
export type { CredentialHandle } from "./credential-handle.ts";
export { AuthFile } from "./credentials/auth-file.ts";
export { classify } from "./failures/classify.ts";
export type { ProtocolName } from "./target.ts";
export { openConnections } from "./transport/connections.ts";
