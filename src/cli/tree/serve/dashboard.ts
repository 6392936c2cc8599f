import type { Command } from "../../command.ts";

export const dashboardCommand: Command = {
  name: "dashboard",
  about: "Open Hermes as a page in the browser: chat, sessions, costs, schedules, settings",
  examples: ["hermes dashboard", "hermes dashboard --no-open --port 0     print the address; any free port"],
  flags: [
    { name: "host", kind: "text", value: "<address>", about: "Address to listen on (127.0.0.1)" },
    { name: "port", kind: "text", value: "<n>", about: "Port to listen on (9119); 0 picks a free one" },
    { name: "no-open", kind: "switch", about: "Print the address without opening a browser" },
    {
      name: "public-url",
      kind: "text",
      value: "<url>",
      about: "Where a reverse proxy with TLS and a password serves the page",
    },
    {
      name: "insecure",
      kind: "switch",
      about: "Listen for other machines; needs HERMES_DASHBOARD_PASSWORD, and TLS or --public-url",
    },
    { name: "tls-cert", kind: "text", value: "<file>", about: "Certificate (PEM) to serve https with" },
    { name: "tls-key", kind: "text", value: "<file>", about: "Key (PEM) of that certificate" },
  ],
  run: async (invocation) => (await import("../../commands/dashboard/dashboard.ts")).dashboard(invocation),
};
