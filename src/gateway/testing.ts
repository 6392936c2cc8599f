/** For the suite that every platform passes, and for tests of the documentation. */
export { loadDeviceLibrary } from "./adapters/whatsapp/device/library.ts";
export { serveDevice } from "./adapters/whatsapp/device/run.ts";
export { gatewayCommands } from "./chats/gateway-commands.ts";
export type { ButtonPress } from "./platform/inbound.ts";
export type { Outbound } from "./platform/outbound.ts";
export type { Connection, ConnectionPorts, StreamPosition } from "./platform/platform.ts";
