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
  mode: choice(resetModes, "both", "When a chat starts over: at an hour, after a silence, either, never."),
  idle_minutes: whole(1440, "Silence in minutes.", { min: 1 }),
  at_hour: whole(4, "Hour of the day.", { max: 23 }),
};

/** A rule for some chats only: what it does not name is taken from `session_reset`. */
const resetOverride = group({
  mode: optionalChoice(resetModes, "When the chat starts over."),
  idle_minutes: optionalWhole("Silence in minutes.", { min: 1 }),
  at_hour: optionalWhole("Hour of the day.", { max: 23 }),
});

export const gatewaySections = {
  session_reset: section(
    { description: "When a chat starts a new session.", category: "Gateway", reload: "restart" },
    {
      ...resetShape,
      notify: flag(true, "Say so in the chat."),
      notify_exclude_platforms: texts(["api_server", "webhook"], "Platforms that are not told."),
    },
  ),
  reset_by_platform: mapOf(resetOverride, {
    description: "The same for single platforms.",
    category: "Gateway",
    reload: "restart",
  }),
  reset_by_type: mapOf(resetOverride, {
    description: "The same for kinds of chat: `dm`, `group`, `thread`.",
    category: "Gateway",
    reload: "restart",
  }),
  session_store_max_age_days: whole(90, {
    description: "Days a silent chat is remembered; 0 remembers for ever.",
    category: "Gateway",
    reload: "restart",
  }),
  group_sessions_per_user: flag(true, {
    description: "In groups, one session per person.",
    category: "Gateway",
    reload: "restart",
  }),
  thread_sessions_per_user: flag(false, {
    description: "In threads, one session per person.",
    category: "Gateway",
    reload: "restart",
  }),
  streaming: section(
    { description: "Answers that grow in the chat.", category: "Gateway", reload: "restart" },
    {
      enabled: flag(false, "Show answers in chats while they are written."),
      transport: choice(["edit", "off"], "edit", "How: by editing the message, or not at all."),
      edit_interval: amount(0.3, "Least seconds between two edits."),
      buffer_threshold: whole(40, {
        description: "Characters that are worth an edit before that.",
        noEffect: "Edits follow `edit_interval` and the platform's own pace.",
      }),
      cursor: text(" ▉", "Mark at the end of an unfinished answer."),
    },
  ),
  unauthorized_dm_behavior: optionalChoice(["pair", "ignore"], {
    description: "Strangers get a pairing code or silence; absent decides by whether an allowlist exists.",
    category: "Gateway",
    reload: "restart",
  }),
  delivery: section(
    { description: "Long results.", category: "Gateway", reload: "restart" },
    { max_parts: whole(5, "Messages a long text is split into before it becomes a file.", { min: 1 }) },
  ),
  gateway: section(
    { description: "The messaging process.", category: "Gateway", reload: "restart" },
    {
      proxy_url: text(
        "",
        "Address of the API server of a Hermes that runs the turns; empty runs them here. GATEWAY_PROXY_KEY is its key.",
      ),
      connect_timeout_seconds: amount(60, "Seconds one platform may take to connect."),
      allow_all_users: flag(false, "Let everybody on every platform use it."),
      allowed_users: texts([], "People allowed on all platforms."),
      admin_users: texts([], "People who may use administrative commands."),
      admin_tier: choice(["on", "off"], "on", "Keep administrative commands to admins."),
      media_max_bytes: whole(104_857_600, "Largest download in bytes."),
      media_roots: texts([], "Further folders files may be sent from."),
      media_store: choice(
        ["local", "s3"],
        "local",
        "How files of messages get from one process to another: through a folder of this machine, or for several machines through gateway.s3.",
      ),
      s3: section(
        "Object storage for gateway.media_store, S3 or what speaks like it. AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are its keys.",
        {
          bucket: text("", "The bucket."),
          region: text("us-east-1", "Its region."),
          endpoint: text("", "Address of the service; empty is Amazon's in that region."),
          prefix: text("hermes", "How the names of objects begin."),
        },
      ),
      unknown_send: choice(["resend_marked", "drop"], "resend_marked", "A message whose sending was cut off."),
      encrypt_at_rest: flag(
        false,
        "Encrypt the text of messages that wait in the inbox and the outbox. Conversations are stored as they are.",
      ),
      encryption_key_file: optionalText(
        "File with the key for that, 32 bytes as hexadecimal; made in the home when absent. Machines that share a store share it.",
      ),
      roles: initially(
        roles,
        anyList(anyOf(roles)),
        "Which parts of the work this process does; fewer than all need store.url.",
      ),
      limits: section("Bounds of one process.", {
        max_concurrent_turns: whole(8, "Turns at the same time.", { min: 1 }),
        max_turns_per_user: whole(3, "Chats of one person that one process serves at the same time.", { min: 1 }),
        max_pending_per_session: whole(
          50,
          {
            description: "Waiting messages of one chat before they are joined.",
            noEffect: "Waiting messages of one person are always joined.",
          },
          { min: 1 },
        ),
        refuse_pending_per_session: whole(200, "Waiting messages of one chat before more are refused.", { min: 1 }),
        adapter_queue: whole(1000, "Messages of one platform that may wait in memory; then its socket is not read.", {
          min: 1,
        }),
        stream_buffer_bytes: whole(
          1_048_576,
          "Bytes of an answer that are held to be shown while it grows; the rest is seen when it is finished.",
          { min: 1 },
        ),
        agent_cache: whole(128, "Sessions kept ready in memory.", { min: 1 }),
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
        "Jobs that may run at the same time; null sets no limit.",
      ),
      script_timeout_seconds: whole(120, "Seconds a job's script may take."),
      timeout_seconds: whole(600, "Seconds without activity after which a job is ended."),
      use_fallback: flag(true, "Let jobs use the fallback chain."),
      retry_on_crash: optionalFlag("Repeat a run that a crash cut off; absent repeats only one-time jobs."),
    },
  ),
};
