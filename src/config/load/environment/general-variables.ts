/** Variables that steer one run and are not settings. */
export const switchNames = [
  "HERMES_HOME", // Folder with settings, secrets and sessions.
  "HERMES_HOME_MODE", // Permission bits for a new home, in octal.
  "HERMES_SKIP_CHMOD", // Leave permissions of the home alone.
  "HERMES_CONTAINER", // Says that this is a container.
  "HERMES_MANAGED", // Says which package manager owns the settings.
  "HERMES_YOLO_MODE", // Run flagged commands without asking.
  "HERMES_IGNORE_USER_CONFIG", // Start with defaults instead of the file.
  "HERMES_QUIET", // Print only the answer to a question on the command line, as -Q does.
  "HERMES_HEADLESS", // Never open a browser or a window.
  "HERMES_DUMP_REQUESTS", // Keep every request to a model in logs/requests, without its credential.
  "HERMES_SIGTERM_GRACE", // Seconds a command gets to end when it is stopped (1.5).
  "HERMES_CA_BUNDLE", // Further certificates to trust.
  "HERMES_DOCKER_BINARY", // Container program.
  "HERMES_GIT_BASH_PATH", // Shell on Windows.
  "HERMES_WRITE_SAFE_ROOT", // Folder outside which file tools may not write.
  "HERMES_ENABLE_PROJECT_PLUGINS", // Look for plugins in the project.
  "HERMES_DISABLE_FILE_STATE_GUARD", // Do not check whether a file changed since it was read.
  "HERMES_GATEWAY_LOCK_DIR", // Folder for locks between gateways.
  "HERMES_DATASETS", // Folder with datasets.
  "OTEL_SDK_DISABLED", // Send no traces, wherever an address is set.
  "OTEL_SERVICE_NAME", // What this Hermes is called in traces.
  "NO_COLOR", // Print without colours.
] as const;

/** Variables that beat the file, and the key each stands for. */
export const overridingVariables: readonly (readonly [name: string, key: string])[] = [
  ["HERMES_ACCEPT_HOOKS", "hooks_auto_accept"],
  ["HERMES_REDACT_SECRETS", "security.redact_secrets"],
  ["HERMES_EPHEMERAL_SYSTEM_PROMPT", "agent.system_prompt"],
  ["HERMES_PREFILL_MESSAGES_FILE", "agent.prefill_messages_file"],
  ["HERMES_TIMEZONE", "timezone"],
  ["HERMES_CRON_TIMEOUT", "cron.timeout_seconds"],
  ["HERMES_CRON_MAX_PARALLEL", "cron.max_parallel_jobs"],
];

const terminalKeys = [
  "cwd",
  "timeout",
  "lifetime_seconds",
  "modal_mode",
  "docker_image",
  "singularity_image",
  "modal_image",
  "daytona_image",
  "docker_volumes",
  "docker_forward_env",
  "docker_mount_cwd_to_workspace",
  "ssh_host",
  "ssh_user",
  "ssh_port",
  "ssh_key",
  "container_cpu",
  "container_memory",
  "container_disk",
  "container_persistent",
  "sandbox_dir",
];

const auxiliaryTasks = ["vision", "web_extract", "approval"];

/** Variables that fill what the file leaves open, and the key each stands for. */
export const fillingVariables: readonly (readonly [name: string, key: string])[] = [
  ["HERMES_MAX_ITERATIONS", "agent.max_turns"],
  ["HERMES_INFERENCE_PROVIDER", "model.provider"],
  ["HERMES_INFERENCE_MODEL", "model.default"],
  ["HERMES_API_TIMEOUT", "timeouts.request_seconds"],
  ["HERMES_STREAM_READ_TIMEOUT", "timeouts.stream_read_seconds"],
  ["HERMES_STREAM_STALE_TIMEOUT", "timeouts.stream_stale_seconds"],
  ["HERMES_API_CALL_STALE_TIMEOUT", "timeouts.call_stale_seconds"],
  ["HERMES_STREAM_RETRIES", "timeouts.stream_retries"],
  ["HERMES_AGENT_TIMEOUT", "agent.gateway_timeout"],
  ["HERMES_AGENT_TIMEOUT_WARNING", "agent.gateway_timeout_warning"],
  ["HERMES_RESTART_DRAIN_TIMEOUT", "agent.restart_drain_timeout"],
  ["HERMES_ALLOW_PRIVATE_URLS", "security.allow_private_urls"],
  ["HERMES_TRUSTED_FOLDERS", "security.trusted_folders"],
  ["HERMES_CHECKPOINT_TIMEOUT", "checkpoints.timeout"],
  ["HERMES_CRON_SCRIPT_TIMEOUT", "cron.script_timeout_seconds"],
  ["HERMES_HUMAN_DELAY_MODE", "human_delay.mode"],
  ["HERMES_BACKGROUND_NOTIFICATIONS", "display.background_process_notifications"],
  ["DELEGATION_MAX_CONCURRENT_CHILDREN", "delegation.max_concurrent_children"],
  ["BROWSER_CDP_URL", "browser.cdp_url"],
  ["BROWSER_INACTIVITY_TIMEOUT", "browser.inactivity_timeout"],
  ["TIRITH_ENABLED", "security.tirith_enabled"],
  ["TIRITH_BIN", "security.tirith_path"],
  ["TIRITH_TIMEOUT", "security.tirith_timeout"],
  ["TIRITH_FAIL_OPEN", "security.tirith_fail_open"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "telemetry.otlp_endpoint"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "telemetry.otlp_headers"],
  ["SUDO_PASSWORD", "terminal.sudo_password"],
  ["TERMINAL_ENV", "terminal.backend"],
  ["TERMINAL_MAX_FOREGROUND_TIMEOUT", "terminal.max_foreground_timeout"],
  ["TERMINAL_DISK_WARNING_GB", "terminal.disk_warning_gb"],
  ...terminalKeys.map((key) => [`TERMINAL_${key.toUpperCase()}`, `terminal.${key}`] as const),
  ...auxiliaryTasks.flatMap((task) =>
    ["provider", "model", "base_url", "api_key"].map(
      (part) => [`AUXILIARY_${task.toUpperCase()}_${part.toUpperCase()}`, `auxiliary.${task}.${part}`] as const,
    ),
  ),
];

/** Variables that have no effect any more, and the key that replaced each. */
export const retiredVariables: readonly (readonly [name: string, key: string])[] = [
  ["LLM_MODEL", "model.default"],
  ["OPENAI_MODEL", "model.default"],
  ["HERMES_TOOL_PROGRESS", "display.tool_progress"],
  ["HERMES_TOOL_PROGRESS_MODE", "display.tool_progress"],
  ["MESSAGING_CWD", "terminal.cwd"],
];
