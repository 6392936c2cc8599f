/** Hermes as an MCP server: conversations, messages, events and permissions for other programs. */
export { serveHttp } from "./http.ts";

export { serveStdio } from "./server.ts";
