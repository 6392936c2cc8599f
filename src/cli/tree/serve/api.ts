import type { Command } from "../../command.ts";

export const apiCommand: Command = {
  name: "api",
  about: "Serve Hermes over HTTP to programs that speak OpenAI's API",
  examples: [
    "API_SERVER_KEY=$(openssl rand -hex 32) hermes api",
    "hermes api --port 9000                  this machine only, without a key",
  ],
  flags: [
    { name: "host", kind: "text", value: "<address>", about: "Address to listen on (127.0.0.1); others need a key" },
    { name: "port", kind: "text", value: "<n>", about: "Port to listen on (8642); 0 picks a free one" },
  ],
  run: async (invocation) => (await import("../../commands/api.ts")).api(invocation),
};
