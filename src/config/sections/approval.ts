import { choice, flag, section, text, texts, whole } from "./setting.ts";

export const approvalSections = {
  approvals: section(
    { description: "Approval of flagged commands.", category: "Safety", reload: "next-session" },
    {
      mode: choice(
        ["manual", "smart", "off"],
        "manual",
        "`manual` asks you, `smart` lets a model judge first, `off` asks nobody.",
      ),
      timeout: whole(60, "Seconds a question in the terminal waits before it is denied."),
      gateway_timeout: whole(300, "Seconds a question sent to a chat or another program waits before it is denied."),
      cron_mode: choice(["deny", "approve"], "deny", "What to do with flagged commands of scheduled jobs."),
      headless: choice(["deny", "allow"], "deny", "What to do with flagged commands when nobody can be asked."),
      sudo: choice(
        ["off", "auto", "ask"],
        "auto",
        "Ask about sudo: `off` never on its own account, `auto` unless something else asks already, `ask` always.",
      ),
      container_mode: choice(
        ["auto", "skip", "check"],
        "auto",
        "Check commands in containers: `auto` unless nothing of the host is mounted, `skip` never, `check` always.",
      ),
      allow_yolo: flag(true, "Allow a session to turn approvals off (`/yolo`)."),
      code_execution: choice(
        ["allow", "ask", "sandbox"],
        "sandbox",
        "Code the model writes: `allow` runs it, `ask` asks each time, `sandbox` runs it confined and asks where there is no sandbox.",
      ),
    },
  ),
  permissions: section(
    {
      description:
        "Rules for calls: a tool, command(…), path(…), read(…), write(…), domain(…) or mcp(server/tool). Deny beats ask, ask beats allow.",
      category: "Safety",
      reload: "restart",
    },
    {
      allow: texts([], "Calls that run without asking."),
      ask: texts([], "Calls that always ask. They do not run when nobody can be asked."),
      deny: texts([], "Calls that never run."),
    },
  ),
  command_allowlist: texts([], {
    description: 'Kinds of flagged command that run without asking. Answering "always" adds one, effective at once.',
    category: "Safety",
    reload: "restart",
  }),
  security: section(
    { description: "Protection of files, network and secrets.", category: "Safety", reload: "restart" },
    {
      writable_paths: texts(
        [],
        "Folders outside the workspace that commands and file tools may write to without asking.",
      ),
      masked_paths: texts([], "Additional files and folders that hold credentials, hidden from commands and tools."),
      trusted_folders: texts(
        [],
        "Folders to trust without `hermes trust`, for scripts. Includes everything below them.",
      ),
      redact_secrets: flag(true, "Mask secrets in tool output, logs and errors."),
      allow_private_urls: flag(false, "Let tools access private and local network addresses."),
      tirith_enabled: flag(true, "Scan every command with tirith."),
      tirith_path: text("tirith", "Path of the tirith program."),
      tirith_timeout: whole(5, "Maximum seconds for a scan."),
      tirith_fail_open: flag(true, "Run commands when the scanner fails."),
      website_blocklist: section("Websites tools may not visit.", {
        enabled: flag(false, "Enable the blocklist."),
        domains: texts([], "Blocked domains. `*.example.com` matches only subdomains."),
        shared_files: texts([], "Files with more domains, one per line."),
        fail_closed: flag(false, "Block every website when the list cannot be read."),
      }),
      credential_store: choice(["file", "keychain"], "file", "Where credentials are stored."),
      audit: choice(["off", "summary", "full"], "summary", "Detail of the audit log of tool calls."),
    },
  ),
  privacy: section(
    { description: "What models are told about people.", category: "Safety" },
    { redact_pii: flag(false, "Replace user and chat IDs with hashes before a model sees them.") },
  ),
};
