/** Hermes in editors: a surface that speaks the Agent Client Protocol over standard input and output. */
export { serveAcp } from "./server.ts";
