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
  command: optionalText("Program of a server that speaks over its standard streams."),
  args: texts([], "Its arguments."),
  env: secretMap("Its environment variables."),
  cwd: optionalText("Its working directory."),
  sandbox: choice(
    ["auto", "on", "off"],
    "auto",
    "Hold its program inside the wall; `auto` lets container engines out.",
  ),
  writable_paths: texts([], "Folders its program may write, besides those its arguments and variables name."),
  network_allow: texts(
    [],
    "Hosts its program reaches without a question, besides those its arguments and variables name.",
  ),
  url: optionalText("Address of a server that speaks HTTP; wins over `command`."),
  headers: secretMap("Headers of every request to that address."),
  transport: optionalChoice(["http", "sse", "stdio"], "How to speak to it; absent chooses by address or program."),
  enabled: flag(true, "Connect to it."),
  timeout: amount(120, "Seconds one call may take."),
  connect_timeout: amount(60, "Seconds connecting and listing may take."),
  ssl_verify: flag(true, "Check its certificate."),
  auth: optionalChoice(["none", "oauth", "header"], "`oauth` logs in through a browser."),
  oauth: optional(
    group({
      client_id: optionalText("Registered client; absent registers one."),
      client_secret: secret("Secret of the registered client."),
      scope: optionalText("Scopes to ask for."),
      redirect_port: whole(0, "Local port of the redirect; 0 takes any.", { max: 65_535 }),
      client_name: text("Hermes Agent", "Name shown by the login page."),
      timeout: amount(300, "Seconds a login may take."),
    }),
    "Details of the login.",
  ),
  tools: section("Which of its tools are offered.", {
    include: optional(anyList(anyText), "Only these tools; wins over `exclude`."),
    exclude: texts([], "All but these tools."),
    resources: flag(true, "Offer its resources."),
    prompts: flag(true, "Offer its prompts."),
  }),
  sampling: section("Its own questions to a model.", {
    enabled: optionalFlag("Answer them; absent answers only trusted servers."),
    model: optionalText("Model that answers."),
    allowed_models: texts([], "Models it may ask for; empty allows any."),
    max_tokens_cap: whole(4096, "Longest answer in tokens."),
    timeout: amount(30, "Seconds an answer may take."),
    max_rpm: whole(10, "Questions per minute."),
    max_tool_rounds: whole(5, "Rounds of tool use in one answer; 0 has none."),
    log_level: optionalText("Detail in the log."),
  }),
  parallel: flag(false, "Let its read-only tools run side by side."),
  trust: choice(["untrusted", "trusted"], "untrusted", "Whether its texts may be shown to the model unfenced."),
});

export const mcpSections = {
  mcp_servers: mapOf(server, { description: "MCP servers, by name.", category: "MCP", reload: "next-session" }),
  mcp: section(
    { description: "Rules for all MCP servers.", category: "MCP" },
    {
      refresh: choice(["turn", "session"], "turn", "When changed tools become visible."),
      osv_fail_closed: flag(false, "Refuse a package when the malware feed cannot be asked."),
    },
  ),
  mcp_server: section(
    { description: "Hermes as an MCP server.", category: "MCP" },
    { allow_always: flag(false, "Let clients grant a permission for good.") },
  ),
};
