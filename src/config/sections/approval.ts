import { choice, flag, section, text, texts, whole } from "./setting.ts";

export const approvalSections = {
  approvals: section(
    { description: "Who decides about flagged commands.", category: "Safety", reload: "next-session" },
    {
      mode: choice(["manual", "smart", "off"], "manual", "Ask a person, let a model judge first, or ask nobody."),
      timeout: whole(60, "Seconds a question in the terminal waits before it counts as no."),
      gateway_timeout: whole(
        300,
        "Seconds a question that is sent to a chat or another program waits before it counts as no.",
      ),
      cron_mode: choice(["deny", "approve"], "deny", "Flagged commands of scheduled jobs."),
      headless: choice(["deny", "allow"], "deny", "Flagged commands where nobody can be asked."),
      sudo: choice(
        ["off", "auto", "ask"],
        "auto",
        "Ask about sudo: never by itself, when nothing else is asked about, always.",
      ),
      container_mode: choice(
        ["auto", "skip", "check"],
        "auto",
        "Commands in containers: unchecked while nothing of the host is mounted, never checked, always checked.",
      ),
      allow_yolo: flag(true, "Allow switching approvals off for a session from a chat."),
      code_execution: choice(
        ["allow", "ask", "sandbox"],
        "sandbox",
        "Programs the model writes: run without a question, ask each time, or run confined and ask where nothing confines.",
      ),
    },
  ),
  permissions: section(
    {
      description:
        "Rules about calls: a tool, command(…), path(…), read(…), write(…), domain(…) or mcp(server/tool). A deny wins over an ask, an ask over an allow.",
      category: "Safety",
      reload: "restart",
    },
    {
      allow: texts([], "Runs without a question."),
      ask: texts([], "A person is asked each time; where nobody can be, it does not run."),
      deny: texts([], "Never runs."),
    },
  ),
  command_allowlist: texts([], {
    description:
      'Flagged kinds of command that run without a question; the answer "always" adds one, which counts at once.',
    category: "Safety",
    reload: "restart",
  }),
  security: section(
    { description: "Guards around tools, network and secrets.", category: "Safety", reload: "restart" },
    {
      writable_paths: texts(
        [],
        "Folders besides the workspace that commands and file tools may write without a question.",
      ),
      masked_paths: texts([], "Further files and folders that hold credentials."),
      trusted_folders: texts(
        [],
        "Folders whose own files count without being on the list of `hermes trust`, for scripts; everything below them is trusted too.",
      ),
      redact_secrets: flag(true, "Mask secrets in tool output, logs and errors."),
      allow_private_urls: flag(false, "Let tools reach private and local addresses."),
      tirith_enabled: flag(true, "Ask the command scanner about every command."),
      tirith_path: text("tirith", "Program of the command scanner."),
      tirith_timeout: whole(5, "Seconds the scanner may take."),
      tirith_fail_open: flag(true, "Go on without the scanner when it fails."),
      website_blocklist: section("Sites tools may not visit.", {
        enabled: flag(false, "Apply the list."),
        domains: texts([], "Domains; a leading `*.` means only their subdomains."),
        shared_files: texts([], "Files with further domains, one per line."),
        fail_closed: flag(false, "Block everything when the list cannot be read."),
      }),
      credential_store: choice(["file", "keychain"], "file", "Where logins are kept."),
      audit: choice(["off", "summary", "full"], "summary", "Detail of the record of executed tools."),
    },
  ),
  privacy: section(
    { description: "What models learn about people.", category: "Safety" },
    { redact_pii: flag(false, "Replace user and chat ids by hashes before a model sees them.") },
  ),
};
