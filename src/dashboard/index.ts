/** Hermes as a page in the browser of the person at this machine. */
export type { Abilities } from "./abilities.ts";
export type { GatewayProcess } from "./gateway-facts.ts";
export type { KeyFacts } from "./key-facts.ts";
export type { MemoryNotes, PendingChange } from "./memory-notes.ts";
export { serveDashboard } from "./server.ts";
