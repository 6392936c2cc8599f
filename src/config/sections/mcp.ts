import {
  amount,
  anyList,
  anyText,
  choice,
  flag,
  group,
  mapOf,
  optional,
  optionalChoice,
  optionalFlag,
  optionalText,
  secret,
  secretMap,
  section,
  text,
  texts,
  whole,
} from "./setting.ts";

const server = group({
  command: optionalText("Program of a stdio server."),
  args: texts([], "Its arguments."),
  env: secretMap("Its environment variables."),
  cwd: optionalText("Its working directory."),
  sandbox: choice(["auto", "on", "off"], "auto", "Run the server in the sandbox. `auto`: except container engines."),
  writable_paths: texts([], "Folders it may write to, in addition to those named in its arguments and environment."),
  network_allow: texts(
    [],
    "Hosts it may reach without asking, in addition to those named in its arguments and environment.",
  ),
  url: optionalText("URL of an HTTP server. Takes precedence over `command`."),
  headers: secretMap("HTTP headers for every request to that URL."),
  transport: optionalChoice(["http", "sse", "stdio"], "Transport. Not set: chosen from `url` and `command`."),
  enabled: flag(true, "Connect to this server."),
  timeout: amount(120, "Maximum seconds for one call."),
  connect_timeout: amount(60, "Maximum seconds to connect and list tools."),
  ssl_verify: flag(true, "Verify its TLS certificate."),
  auth: optionalChoice(["none", "oauth", "header"], "Authentication. `oauth` logs in through a browser."),
  oauth: optional(
    group({
      client_id: optionalText("Registered client ID. Not set: Hermes registers one."),
      client_secret: secret("Secret of the registered client."),
      scope: optionalText("Scopes to request."),
      redirect_port: whole(0, "Local port for the redirect. 0: any free port.", { max: 65_535 }),
      client_name: text("Hermes Agent", "Name shown on the login page."),
      timeout: amount(300, "Maximum seconds for a login."),
    }),
    "OAuth settings.",
  ),
  tools: section("Which of its tools are offered.", {
    include: optional(anyList(anyText), "Only these tools. Takes precedence over `exclude`."),
    exclude: texts([], "All but these tools."),
    resources: flag(true, "Offer its resources."),
    prompts: flag(true, "Offer its prompts."),
  }),
  sampling: section("Sampling: the server's own requests to a model.", {
    enabled: optionalFlag("Allow sampling. Not set: only for trusted servers."),
    model: optionalText("Model to use."),
    allowed_models: texts([], "Models the server may request. Empty: any."),
    max_tokens_cap: whole(4096, "Maximum output in tokens."),
    timeout: amount(30, "Maximum seconds for an answer."),
    max_rpm: whole(10, "Maximum requests per minute."),
    max_tool_rounds: whole(5, "Maximum tool rounds per request. 0: no tools."),
    log_level: optionalText("Log level for sampling."),
  }),
  parallel: flag(false, "Run its read-only tools in parallel."),
  trust: choice(
    ["untrusted", "trusted"],
    "untrusted",
    "Trust its output: `untrusted` marks it as data, not instructions.",
  ),
});

export const mcpSections = {
  mcp_servers: mapOf(server, { description: "MCP servers, by name.", category: "MCP", reload: "next-session" }),
  mcp: section(
    { description: "Settings for all MCP servers.", category: "MCP" },
    {
      refresh: choice(
        ["turn", "session"],
        "turn",
        "When changed tools become available: with the next turn or the next session.",
      ),
      osv_fail_closed: flag(false, "Refuse to start a package when the malware database cannot be reached."),
    },
  ),
  mcp_server: section(
    { description: "Hermes as an MCP server.", category: "MCP" },
    { allow_always: flag(false, "Let clients answer a permission request with `always`.") },
  ),
};
