import { choice, flag, missing, secret, section, text, whole } from "./setting.ts";

export const storeSections = {
  store: section(
    { description: "Where sessions are kept.", category: "Storage", reload: "restart" },
    {
      // An address with a password in it is the usual case, so the whole address is treated as one.
      url: secret("Address of a PostgreSQL database; empty keeps everything in the home's own file."),
    },
  ),
  sessions: section(
    { description: "How long sessions are kept, and how many are held open.", category: "Storage", reload: "restart" },
    {
      auto_prune: flag(false, "Remove old, ended sessions by itself."),
      retention_days: whole(90, "Days an ended session is kept."),
      vacuum_after_prune: flag(true, "Give the freed space back."),
      min_interval_hours: whole(24, "Hours between two clean-ups."),
      idle_close_minutes: whole(60, "Minutes a session that nobody uses stays open where programs share sessions.", {
        min: 1,
      }),
      max_idle: whole(128, "Sessions that nobody uses and that stay open; the longest unused goes first."),
    },
  ),
  logging: section(
    { description: "Log files.", category: "Storage", reload: "restart" },
    {
      level: choice(["DEBUG", "INFO", "WARNING", "ERROR"], "INFO", "Least important line that is written."),
      max_size_mb: whole(5, "Size at which a file is rotated, in MB.", { min: 1 }),
      backup_count: whole(3, "Rotated files kept."),
      format: choice(["text", "json"], "json", {
        description: "Lines for people or for programs.",
        noEffect: "The files hold one JSON object a line; `hermes logs` shows them for people.",
      }),
      include_content: flag(false, { description: "Write message text into traces.", noEffect: missing.telemetry }),
    },
  ),
  telemetry: section(
    {
      description: "Traces and counters for your own systems; nothing is sent unless an address is set.",
      category: "Storage",
      reload: "restart",
      noEffect: missing.telemetry,
    },
    {
      otlp_endpoint: text("", "OpenTelemetry collector; empty sends nothing."),
      metrics: flag(false, "Offer counters on the API server."),
    },
  ),
};
