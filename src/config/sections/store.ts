import { choice, flag, secret, section, text, whole } from "./setting.ts";

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
      auto_prune: flag(false, "Delete sessions automatically that ended, or in which nobody said anything, long ago."),
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
      include_content: flag(
        false,
        "Put messages, arguments and results of tools into traces, without the secrets Hermes knows.",
      ),
    },
  ),
  telemetry: section(
    {
      description: "Traces for your own systems. Nothing is sent unless an address is set.",
      category: "Storage",
      reload: "restart",
    },
    {
      otlp_endpoint: text(
        "",
        "URL of an OpenTelemetry collector (OTLP over HTTP) that receives traces. Empty: none are sent.",
      ),
      otlp_headers: secret("Headers for the collector: `name=value`, separated by commas."),
      metrics: flag(false, {
        description: "Offer metrics on the API server.",
        noEffect: "`GET /metrics` of the API server is always there, for keys with the scope `admin`.",
      }),
    },
  ),
};
