/** Durable conversations over chat platforms: what an adapter implements, and the process that hosts them. */
export { telegram } from "./adapters/telegram/index.ts";
export type * from "./platform/inbound.ts";
export type * from "./platform/outbound.ts";
export type * from "./platform/platform.ts";
export { ConnectionError } from "./platform/platform.ts";
