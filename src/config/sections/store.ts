import { choice, flag, missing, secret, section, text, whole } from "./setting.ts";

export const storeSections = {
  store: section(
    { description: "Where sessions are stored.", category: "Storage", reload: "restart" },
    {
      // An address with a password in it is the usual case, so the whole address is treated as one.
      url: secret("URL of a PostgreSQL database. Empty: `state.db` in the Hermes home."),
    },
  ),
  sessions: section(
    { description: "Retention of sessions, and how many stay open.", category: "Storage", reload: "restart" },
    {
      auto_prune: flag(false, "Delete old, ended sessions automatically."),
      retention_days: whole(90, "Days to keep an ended session."),
      vacuum_after_prune: flag(true, "Reclaim disk space after deleting sessions."),
      min_interval_hours: whole(24, "Minimum hours between two clean-ups."),
      idle_close_minutes: whole(60, "Minutes before an unused shared session is closed.", {
        min: 1,
      }),
      max_idle: whole(128, "Maximum unused sessions to keep open. The least recently used is closed first."),
    },
  ),
  logging: section(
    { description: "Log files.", category: "Storage", reload: "restart" },
    {
      level: choice(["DEBUG", "INFO", "WARNING", "ERROR"], "INFO", "Minimum level to log."),
      max_size_mb: whole(5, "Size in MB at which a log file is rotated.", { min: 1 }),
      backup_count: whole(3, "Rotated log files to keep."),
      format: choice(["text", "json"], "json", {
        description: "Format of log lines.",
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
