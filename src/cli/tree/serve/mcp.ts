import type { Argument, Command } from "../../command.ts";
import { yesFlag } from "../common.ts";

const server: Argument = { name: "name", completes: "mcp-server" };

export const mcpCommand: Command = {
  name: "mcp",
  about: "Connect servers that provide tools",
  examples: [
    "hermes mcp add files --command npx --args -y,@modelcontextprotocol/server-filesystem,.",
    "hermes mcp add docs --url https://example.com/mcp --auth oauth",
    "hermes mcp test docs",
    "hermes mcp serve --read-only",
  ],
  run: async (invocation) => (await import("../../commands/mcp/list.ts")).mcpList(invocation),
  commands: [
    {
      name: "list",
      about: "Show the servers",
      run: async (invocation) => (await import("../../commands/mcp/list.ts")).mcpList(invocation),
    },
    {
      name: "add",
      about: "Add a server",
      args: [{ name: "name" }],
      flags: [
        { name: "url", kind: "text", value: "<url>", about: "Address of an HTTP server" },
        { name: "command", kind: "text", value: "<program>", about: "Program of a local server" },
        { name: "args", kind: "list", value: "<a,b>", about: "Its arguments; repeat the option for one with a comma" },
        {
          name: "env",
          kind: "list",
          value: "<K=V>",
          about: "Its environment variables; references to variables are kept",
        },
        {
          name: "header",
          kind: "list",
          value: "<K=V>",
          about: "Headers for every request; references to variables are kept",
        },
        { name: "auth", kind: "text", value: "<kind>", choices: ["oauth", "header", "none"], about: "How to log in" },
        {
          name: "preset",
          kind: "text",
          value: "<name>",
          choices: ["filesystem", "fetch", "git", "memory"],
          about: "A well-known server",
        },
        { name: "force", short: "f", kind: "switch", about: "Replace the one with that name" },
        { name: "no-test", kind: "switch", about: "Do not connect to it now" },
      ],
      run: async (invocation) => (await import("../../commands/mcp/add.ts")).mcpAdd(invocation),
    },
    {
      name: "remove",
      about: "Remove a server and its login",
      args: [server],
      flags: [yesFlag],
      run: async (invocation) => (await import("../../commands/mcp/remove.ts")).mcpRemove(invocation),
    },
    {
      name: "test",
      about: "Connect once and show what the server offers",
      args: [server],
      run: async (invocation) => (await import("../../commands/mcp/test.ts")).mcpTest(invocation),
    },
    {
      name: "configure",
      about: "Choose which tools of a server are offered",
      args: [server],
      flags: [
        { name: "include", kind: "list", value: "<tools>", about: "Only these" },
        { name: "exclude", kind: "list", value: "<tools>", about: "All but these" },
        { name: "all", kind: "switch", about: "All of them" },
        { name: "enable", kind: "switch", about: "Connect to it" },
        { name: "disable", kind: "switch", about: "Do not connect to it" },
      ],
      run: async (invocation) => (await import("../../commands/mcp/configure.ts")).mcpConfigure(invocation),
    },
    {
      name: "login",
      about: "Log in to a server",
      args: [server],
      flags: [
        { name: "no-browser", kind: "switch", about: "Show the address instead of opening a browser" },
        { name: "device", kind: "switch", about: "Enter a code on another device" },
      ],
      run: async (invocation) => (await import("../../commands/mcp/login.ts")).mcpLogin(invocation),
    },
    {
      name: "serve",
      about: "Let other programs read conversations and talk to Hermes",
      flags: [
        { name: "read-only", kind: "switch", about: "Clients can only read, not send or approve" },
        { name: "http", kind: "switch", about: "Over HTTP on this machine instead of standard input and output" },
        { name: "port", kind: "text", value: "<n>", about: "With --http: the port (any that is free)" },
      ],
      run: async (invocation) => (await import("../../commands/mcp/serve.ts")).mcpServe(invocation),
    },
  ],
};
