/** Hermes as an MCP server: conversations, messages, events and permissions for other programs. */
export { type HttpServing, serveHttp } from "./http.ts";
export type { ServedHermes } from "./served-hermes.ts";
export { serveStdio } from "./server.ts";
