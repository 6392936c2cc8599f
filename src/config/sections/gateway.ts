import {
  amount,
  anyList,
  anyNumber,
  anyOf,
  choice,
  flag,
  group,
  initially,
  mapOf,
  nullable,
  optionalChoice,
  optionalFlag,
  optionalText,
  optionalWhole,
  section,
  text,
  texts,
  whole,
} from "./setting.ts";

const resetModes = ["daily", "idle", "both", "none"] as const;

const roles = ["ingress", "worker", "scheduler", "api"] as const;

const resetShape = {
  mode: choice(
    resetModes,
    "both",
    "When a chat starts a new session: `daily` at an hour, `idle` after a pause, `both` or `none`.",
  ),
  idle_minutes: whole(1440, "Minutes without messages, for `idle`.", { min: 1 }),
  at_hour: whole(4, "Hour of the day (0–23), for `daily`.", { max: 23 }),
};

/** A rule for some chats only: what it does not name is taken from `session_reset`. */
const resetOverride = group({
  mode: optionalChoice(resetModes, "When the chat starts a new session."),
  idle_minutes: optionalWhole("Minutes without messages, for `idle`.", { min: 1 }),
  at_hour: optionalWhole("Hour of the day (0–23), for `daily`.", { max: 23 }),
});

export const gatewaySections = {
  session_reset: section(
    { description: "When a chat starts a new session.", category: "Gateway", reload: "restart" },
    {
      ...resetShape,
      notify: flag(true, "Tell the chat about it."),
      notify_exclude_platforms: texts(["api_server", "webhook"], "Platforms that are not told."),
    },
  ),
  reset_by_platform: mapOf(resetOverride, {
    description: "The same, per platform.",
    category: "Gateway",
    reload: "restart",
  }),
  reset_by_type: mapOf(resetOverride, {
    description: "The same, per kind of chat: `dm`, `group` or `thread`.",
    category: "Gateway",
    reload: "restart",
  }),
  session_store_max_age_days: whole(90, {
    description: "Days to remember a chat without messages. 0: forever.",
    category: "Gateway",
    reload: "restart",
  }),
  group_sessions_per_user: flag(true, {
    description: "Give each person in a group their own session.",
    category: "Gateway",
    reload: "restart",
  }),
  thread_sessions_per_user: flag(false, {
    description: "Give each person in a thread their own session.",
    category: "Gateway",
    reload: "restart",
  }),
  streaming: section(
    { description: "Streaming of answers in chats.", category: "Gateway", reload: "restart" },
    {
      enabled: flag(false, "Show answers in chats as they stream in."),
      transport: choice(["edit", "off"], "edit", "`edit` updates the message, `off` sends only the whole answer."),
      edit_interval: amount(0.3, "Minimum seconds between two edits."),
      buffer_threshold: whole(40, {
        description: "Characters that are worth an edit before that.",
        noEffect: "Edits follow `edit_interval` and the platform's own pace.",
      }),
      cursor: text(" ▉", "Cursor shown at the end of an unfinished answer."),
    },
  ),
  unauthorized_dm_behavior: optionalChoice(["pair", "ignore"], {
    description:
      "What strangers get: a pairing code or no answer. Not set: `ignore` if there is an allowlist, else `pair`.",
    category: "Gateway",
    reload: "restart",
  }),
  delivery: section(
    { description: "Long results.", category: "Gateway", reload: "restart" },
    { max_parts: whole(5, "Maximum messages a long text is split into. Longer texts are sent as a file.", { min: 1 }) },
  ),
  gateway: section(
    { description: "The messaging process.", category: "Gateway", reload: "restart" },
    {
      proxy_url: text(
        "",
        "API server of another Hermes that runs the turns; GATEWAY_PROXY_KEY holds its key. Empty: turns run here.",
      ),
      connect_timeout_seconds: amount(60, "Maximum seconds to connect to a platform."),
      unreachable_exit_seconds: amount(
        120,
        "Seconds without a connection to any platform after which the gateway ends with exit code 1, so that its service manager starts it again. It goes on while it has jobs or the API server to run, and in a terminal. -1: never.",
        { min: -1 },
      ),
      allow_all_users: flag(false, "Let everyone on every platform use Hermes."),
      allowed_users: texts([], "People allowed on all platforms."),
      admin_users: texts([], "People who may use administrative commands."),
      admin_tier: choice(["on", "off"], "on", "Restrict administrative commands to admins."),
      media_max_bytes: whole(104_857_600, "Maximum download size in bytes."),
      media_roots: texts([], "Additional folders that files may be sent from."),
      media_store: choice(
        ["local", "s3"],
        "local",
        "How files of messages get from one process to another: through a folder on this machine, or `s3` for several machines.",
      ),
      s3: section(
        "S3-compatible object storage for `gateway.media_store`. AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY hold its keys.",
        {
          bucket: text("", "Bucket name."),
          region: text("us-east-1", "Region of the bucket."),
          endpoint: text("", "URL of the service. Empty: Amazon's endpoint in that region."),
          prefix: text("hermes", "Prefix of object names."),
        },
      ),
      unknown_send: choice(
        ["resend_marked", "drop"],
        "resend_marked",
        "What to do with a message whose delivery is unknown: resend it with a mark, or drop it.",
      ),
      encrypt_at_rest: flag(
        false,
        "Encrypt messages waiting in the inbox and outbox. Conversations are not encrypted.",
      ),
      encryption_key_file: optionalText(
        "Key file: 32 bytes in hexadecimal. Created in the Hermes home if not set. Machines that share a store need the same key.",
      ),
      roles: initially(
        roles,
        anyList(anyOf(roles)),
        "Roles of this process. Running only some of them requires `store.url`.",
      ),
      limits: section("Limits per process.", {
        max_concurrent_turns: whole(8, "Maximum concurrent turns.", { min: 1 }),
        max_turns_per_user: whole(3, "Maximum concurrent turns per person.", { min: 1 }),
        max_pending_per_session: whole(
          50,
          {
            description: "Waiting messages of one chat before they are joined.",
            noEffect: "Waiting messages of one person are always joined.",
          },
          { min: 1 },
        ),
        refuse_pending_per_session: whole(200, "Pending messages per chat before more are refused.", { min: 1 }),
        adapter_queue: whole(
          1000,
          "Maximum messages per platform queued in memory. When full, Hermes stops reading from it.",
          {
            min: 1,
          },
        ),
        stream_buffer_bytes: whole(
          1_048_576,
          "Maximum bytes of an answer buffered for streaming. The rest appears when it is finished.",
          { min: 1 },
        ),
        agent_cache: whole(128, "Sessions to keep in memory.", { min: 1 }),
      }),
    },
  ),
  cron: section(
    { description: "Scheduled jobs.", category: "Cron", reload: "restart" },
    {
      wrap_response: flag(true, "Add a line about the job before and after its answer."),
      max_parallel_jobs: initially(
        null,
        nullable(anyNumber({ whole: true, min: 1 })),
        "Maximum concurrent jobs. null: no limit.",
      ),
      script_timeout_seconds: whole(120, "Maximum seconds for a job's script."),
      timeout_seconds: whole(600, "Seconds without activity before a job is stopped."),
      use_fallback: flag(true, "Let jobs use the fallback models."),
      retry_on_crash: optionalFlag("Rerun a job that a crash interrupted. Not set: only one-time jobs."),
    },
  ),
};
