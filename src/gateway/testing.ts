/** For the suite that every platform passes. */
export type { ButtonPress } from "./platform/inbound.ts";
export type { Outbound } from "./platform/outbound.ts";
export type { Connection, ConnectionPorts, StreamPosition } from "./platform/platform.ts";
