/** Hermes in editors: a surface that speaks the Agent Client Protocol over standard input and output. */
export type { AcpHermes } from "./acp-hermes.ts";
export { serveAcp } from "./server.ts";
