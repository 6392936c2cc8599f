import {
  amount,
  anyText,
  choice,
  flag,
  freeMap,
  freeMaps,
  group,
  listOf,
  mapOf,
  missing,
  type Node,
  optional,
  optionalChoice,
  optionalFlag,
  optionalText,
  optionalWhole,
  secret,
  section,
  text,
  texts,
  whole,
} from "./setting.ts";

const policies = ["open", "allowlist", "disabled", "pairing"] as const;
const allowBots = choice(["none", "mentions", "all"], "none", "Which messages from other bots to answer.");
const replyModes = ["off", "first", "all"] as const;

/** Keys every platform block has. They say who may talk to Hermes there, and what it listens to. */
const shared = {
  allowed_users: texts([], "Users who may talk to Hermes."),
  allow_all_users: flag(false, "Let everyone talk to Hermes."),
  admin_users: texts([], "Users who may run administrative commands. A single user is the owner of this home."),
  group_allowed_users: texts([], "Groups whose members may all talk to Hermes."),
  require_mention: optionalFlag("In groups, answer only when mentioned."),
  free_response_channels: texts([], "Channels to answer in without being mentioned."),
  mention_patterns: texts([], "Patterns that count as a mention."),
  dm_policy: optionalChoice(policies, "Who may send direct messages."),
  allow_from: texts([], "Senders allowed by `dm_policy: allowlist`."),
  group_policy: optionalChoice(policies, "Which groups to answer in."),
  group_allow_from: texts([], "Groups allowed by `group_policy: allowlist`."),
  channel_prompts: mapOf(anyText, "Extra instructions, per channel."),
  channel_skill_bindings: freeMap("Skills to load, per channel."),
  reply_prefix: optionalText("Text to put before every answer."),
  unauthorized_dm_behavior: optionalChoice(["pair", "ignore"], "What strangers get: a pairing code or no answer."),
  reactions: optionalFlag("Show progress as reactions to messages."),
  proxy: text("", "Proxy for this platform (http, https or socks5). Empty: the one from the environment."),
  base_url: text("", "Base URL of the platform's API, for a self-hosted server."),
  home_channel: text("", "Chat that receives scheduled results and notices."),
};

const mention = (initial: boolean) => ({ require_mention: flag(initial, "In groups, answer only when mentioned.") });

const extras = {
  telegram: {
    ...mention(false),
    reactions: flag(false, "Show progress as reactions to messages."),
    ignored_threads: texts([], "Topics to ignore."),
    fallback_ips: texts([], "IP addresses to try when Telegram's host name does not resolve."),
    base_file_url: text("", "Base URL to download files from."),
    disable_link_previews: flag(false, "Send links without previews."),
    dm_topics: freeMap("Topics in direct messages, with their skills."),
    group_topics: freeMap("Topics in groups, with their skills."),
    webhook_url: text("", "Public URL for updates. Empty: polling."),
    webhook_port: whole(8443, "Local port that receives updates.", { max: 65_535 }),
    webhook_secret: secret("Secret that authenticates updates."),
    media_batch_delay_seconds: amount(0.8, "Seconds to wait for more pictures of an album."),
    followup_grace_seconds: amount(
      3,
      "Seconds after the start of a turn during which a new message does not interrupt it but is answered next.",
    ),
  },
  discord: {
    ...mention(true),
    reactions: flag(true, "Show progress as reactions to messages."),
    allowed_roles: texts([], "IDs of roles whose members may talk to Hermes on their server."),
    allowed_channels: texts([], "Channels to listen to. Empty: all."),
    ignored_channels: texts([], "Channels to ignore."),
    no_thread_channels: texts([], "Channels to answer in without a thread."),
    auto_thread: flag(true, "Answer in a thread."),
    ignore_no_mention: flag(true, "Ignore messages that mention others but not the bot."),
    allow_bots: allowBots,
    allow_mention_everyone: flag(false, "Allow @everyone mentions."),
    allow_mention_roles: flag(false, "Allow role mentions."),
    allow_mention_users: flag(true, "Allow user mentions."),
    allow_mention_replied_user: flag(true, "Mention the user it replies to."),
    command_sync_policy: choice(
      ["safe", "bulk", "off"],
      "safe",
      "How slash commands are registered: `safe` only changes, `bulk` all of them, `off` none.",
    ),
    server_actions: texts([], "Server actions the discord tools may use. Empty: all the bot has permission for."),
  },
  slack: {
    ...mention(true),
    reactions: flag(true, "Show progress as reactions to messages."),
    connection_mode: choice(
      ["websocket", "webhook"],
      "websocket",
      "How messages are received: over a socket that Hermes opens, or as calls of Slack to a public address.",
    ),
    app_token: secret("App-level token for Socket Mode."),
    signing_secret: secret("Signing secret that authenticates Slack's calls."),
    webhook_host: text("127.0.0.1", "Local address to listen on."),
    webhook_port: whole(8647, "Local port to listen on.", { max: 65_535 }),
    webhook_path: text("/slack/events", "Path to listen on."),
    allow_bots: allowBots,
    reply_in_thread: flag(true, "Answer in a thread. Off: in the channel, unless the message is in a thread."),
    reply_broadcast: flag(false, "Also show thread answers in the channel."),
    dm_top_level_threads_as_sessions: flag(true, "In direct messages, make every thread its own session."),
  },
  whatsapp: {
    backend: choice(
      ["cloud", "bridge"],
      "cloud",
      "`cloud`: the Business API. `bridge`: a linked device through a bridge process.",
    ),
    mode: choice(["self-chat", "bot"], "self-chat", "For `bridge`: talk to yourself, or act as a bot for others."),
    phone_number_id: text("", "ID of the business phone number."),
    app_secret: secret("App secret that authenticates webhook requests."),
    verify_token: secret("Token expected when the webhook is registered."),
    api_version: text("", "Version of the Business API."),
    webhook_port: whole(8646, "Local port for webhook requests.", { max: 65_535 }),
    template: text("", "Message template to use when the reply window has closed."),
    bridge_url: text("http://127.0.0.1:3000", "URL of the bridge process, on this machine only."),
    bridge_token: secret("Token for the bridge."),
    debug: flag(false, "Log why messages from the bridge were ignored."),
  },
  signal: {
    backend: choice(["daemon", "rest"], "daemon", "signal-cli daemon or REST container."),
    http_url: text("", "URL of the daemon."),
    account: text("", "Phone number of the bot."),
    ignore_stories: flag(true, "Ignore stories."),
  },
  matrix: {
    ...mention(true),
    reactions: flag(true, "Show progress as reactions to messages."),
    homeserver: text("", "URL of the homeserver."),
    user_id: text("", "User ID of the bot."),
    password: secret("Password, if no token is set."),
    device_id: text("", "Device ID."),
    recovery_key: secret("Key that unlocks encrypted history."),
    encryption: flag(false, "Use end-to-end encryption."),
    auto_thread: flag(true, "Answer in a thread."),
    dm_mention_threads: flag(false, "In direct messages, start a thread when mentioned."),
  },
  mattermost: {
    ...mention(true),
    url: text("", "URL of the server."),
    reply_mode: choice(["off", "thread"], "off", "Whether to answer in a thread."),
  },
  email: {
    address: text("", "Email address of the bot."),
    imap_host: text("", "IMAP server."),
    imap_port: whole(993, "IMAP port.", { max: 65_535 }),
    smtp_host: text("", "SMTP server."),
    smtp_port: whole(587, "SMTP port.", { max: 65_535 }),
    poll_interval: whole(15, "Seconds between checks if the server does not support IDLE.", { min: 1 }),
    skip_attachments: flag(false, "Ignore attachments."),
    require_auth_results: flag(false, "Accept only mail whose sender was verified by the receiving server."),
    auth_results_server: text("", "Name of that server in Authentication-Results. Empty: the topmost header."),
    session_by: choice(["sender", "thread"], "sender", "One session per sender, or per thread."),
  },
  sms: {
    account_sid: text("", "Twilio account SID."),
    phone_number: text("", "Phone number of the bot."),
    webhook_url: text("", "Public URL of the webhook, needed to verify signatures."),
    webhook_host: text("0.0.0.0", "Local address to listen on."),
    webhook_port: whole(8080, "Local port to listen on.", { max: 65_535 }),
    insecure_no_signature: flag(false, "Accept unsigned requests, from this machine only."),
  },
  dingtalk: {
    ...mention(false),
    reactions: flag(true, "Show progress as reactions to messages."),
    client_id: text("", "Client ID."),
    robot_code: text("", "Robot code."),
    card_template_id: text("", "Card template for streaming answers."),
  },
  feishu: {
    app_id: text("", "App ID."),
    domain: choice(["feishu", "lark"], "feishu", "Feishu or Lark."),
    connection_mode: choice(["websocket", "webhook"], "websocket", "How messages are received."),
    encrypt_key: secret("Key for encrypted events."),
    verification_token: secret("Token that authenticates events."),
    group_policy: choice(policies, "allowlist", "Which groups to answer in."),
    bot_open_id: text("", "Open ID of the bot."),
    bot_user_id: text("", "User ID of the bot."),
    bot_name: text("", "Name of the bot."),
    webhook_host: text("127.0.0.1", "Local address to listen on."),
    webhook_port: whole(8765, "Local port to listen on.", { max: 65_535 }),
    webhook_path: text("/feishu/webhook", "Path to listen on."),
    group_rules: freeMap("Rules per chat."),
    default_group_policy: text("", "Rule for other chats."),
    admins: texts([], "Administrators."),
  },
  wecom: {
    bot_id: text("", "Bot ID."),
    websocket_url: text("wss://openws.work.weixin.qq.com", "WebSocket URL."),
    dm_policy: choice(policies, "open", "Who may send direct messages."),
    group_policy: choice(policies, "open", "Which groups to answer in."),
    groups: mapOf(group({ allow_from: texts([], "Users allowed in the group.") }), "Rules per group."),
  },
  wecom_callback: {
    corp_id: text("", "Corp ID."),
    corp_secret: secret("Corp secret."),
    agent_id: text("", "Agent ID of the app."),
    encoding_aes_key: secret("Key for encrypted callbacks."),
    host: text("0.0.0.0", "Local address to listen on."),
    port: whole(8645, "Local port to listen on.", { max: 65_535 }),
    apps: freeMaps("Additional corporations."),
  },
  weixin: {
    account_id: text("", "Account ID."),
    base_url: text("https://ilinkai.weixin.qq.com", "Base URL."),
    cdn_base_url: text("https://novac2c.cdn.weixin.qq.com/c2c", "Base URL for media."),
    dm_policy: choice(policies, "open", "Who may send direct messages."),
    group_policy: choice(policies, "disabled", "Which groups to answer in."),
    split_multiline_messages: flag(false, "Send each line as a separate message."),
  },
  bluebubbles: {
    server_url: text("", "URL of the server."),
    webhook_host: text("127.0.0.1", "Local address to listen on."),
    webhook_port: whole(8645, "Local port to listen on.", { max: 65_535 }),
    webhook_path: text("/bluebubbles-webhook", "Path to listen on."),
    send_read_receipts: flag(true, "Mark messages as read."),
  },
  qqbot: {
    app_id: text("", "App ID."),
    sandbox: flag(false, "Use the test environment."),
    markdown_support: flag(true, "Send Markdown."),
    stt_api_key: secret("API key for voice transcription."),
    stt_base_url: text("", "Base URL for voice transcription."),
    stt_model: text("", "Model for voice transcription."),
  },
  webhook: {
    host: text("0.0.0.0", "Local address to listen on."),
    port: whole(8644, "Local port to listen on.", { max: 65_535 }),
    rate_limit: whole(30, "Maximum requests per minute and route."),
    max_body_bytes: whole(1_048_576, "Maximum request size in bytes."),
  },
  api_server: {
    host: text("127.0.0.1", { description: "Local address to listen on.", noEffect: false }),
    port: whole(8642, { description: "Local port to listen on.", noEffect: false }, { max: 65_535 }),
    cors_origins: texts([], { description: "Web origins that may call the API. `*`: all.", noEffect: false }),
    model_name: text("", {
      description: "Model name it reports. Empty: the profile's name.",
      noEffect: false,
    }),
    model_routes: mapOf(anyText, {
      description: "Model to use, by the model name a client requests.",
      noEffect: false,
    }),
    keys: listOf(
      group({
        name: text("", "Who the key belongs to."),
        sha256: text("", "SHA-256 hash of the key."),
        scopes: texts(["chat"], "What the key allows: `chat`, `runs`, `jobs`, `approvals`, `admin`."),
        rate_limit: whole(60, "Maximum requests per minute."),
      }),
      { description: "Additional API keys.", noEffect: false },
    ),
    rate_limit: whole(60, { description: "Maximum requests per minute and key. 0: no limit.", noEffect: false }),
    max_stored_responses: whole(100, { description: "Responses to keep for later requests.", noEffect: false }),
  },
  homeassistant: {
    url: text("http://homeassistant.local:8123", { description: "URL of Home Assistant.", noEffect: false }),
    watch_domains: texts([], "Domains to report on, such as `light`."),
    watch_entities: texts([], "Entities to report on."),
    ignore_entities: texts([], "Entities to ignore."),
    watch_all: flag(false, "Report on all entities."),
    cooldown_seconds: amount(30, "Minimum seconds between two reports about an entity."),
  },
} as const;

/**
 * The settings of one platform. `idle` are the keys that its adapter does not read; without it there is no adapter.
 */
function block<const F extends Readonly<Record<string, Node>>>(id: string, own: F, idle?: readonly string[]) {
  // A platform's own word about a shared key counts.
  const all: Readonly<Record<string, Node>> = { ...shared, ...own };
  const marked = (idle ?? []).map((key) => [key, withoutEffect(all[key] ?? anyText, id)]);
  const fields = { ...all, ...Object.fromEntries(marked) } as Omit<typeof shared, keyof F> & F;
  const noEffect = idle === undefined ? missing.platform : undefined;
  return section(
    { description: `Settings for ${id}.`, category: "Platforms", reload: "restart", ...(noEffect && { noEffect }) },
    fields,
  );
}

function withoutEffect(node: Node, id: string): Node {
  const { about = "" } = node;
  const facts = typeof about === "string" ? { description: about } : about;
  return { ...node, about: { ...facts, noEffect: `${id} does not use it.` } };
}

/** Platforms without channels have nothing to be addressed in. */
const idleInPrivate = ["require_mention", "free_response_channels", "mention_patterns", "channel_prompts"];

/** …and whose messages cannot be marked. */
const idleWithoutChannels = [...idleInPrivate, "reactions"];

/** Bots that have rules for chats of their own, and hear in groups only what addresses them. */
const idleOfBots = ["reactions", "require_mention", "free_response_channels", "mention_patterns"];

const homeChannel = group({
  platform: text("", { description: "Platform.", noEffect: "Always the platform it belongs to." }),
  chat_id: text("", "Chat ID."),
  name: text("", "Display name."),
  thread_id: text("", "Thread ID in that chat."),
});

const connection = group({
  enabled: optionalFlag("Connect. Not set: connect if there are credentials."),
  token: secret("Token or password."),
  api_key: secret("Additional credential."),
  home_channel: optional(homeChannel, "Chat that receives scheduled results and notices."),
  reply_to_mode: choice(replyModes, "first", "Which parts of an answer are sent as replies to the message."),
  retry_limit: optionalWhole({
    description: "Attempts to connect.",
    noEffect: "Hermes retries for as long as it makes sense.",
  }),
  extra: freeMap("Extra values for the platform."),
});

export const platformSections = {
  platforms: mapOf(connection, {
    description: "Platform connections.",
    category: "Platforms",
    reload: "restart",
  }),
  telegram: block("Telegram", extras.telegram, []),
  discord: block("Discord", extras.discord, []),
  slack: block("Slack", extras.slack, []),
  whatsapp: block("WhatsApp", extras.whatsapp, []),
  signal: block("Signal", extras.signal, idleInPrivate),
  matrix: block("Matrix", extras.matrix, ["recovery_key"]),
  mattermost: block("Mattermost", extras.mattermost, []),
  email: block("e-mail", extras.email, [...idleWithoutChannels, "group_allowed_users", "base_url", "proxy"]),
  sms: block("SMS", extras.sms, idleWithoutChannels),
  dingtalk: block("DingTalk", extras.dingtalk, []),
  feishu: block("Feishu and Lark", extras.feishu, ["dm_policy", "reactions"]),
  wecom: block("WeCom", extras.wecom, [...idleOfBots, "base_url"]),
  wecom_callback: block("WeCom callbacks", extras.wecom_callback, idleWithoutChannels),
  weixin: block("Weixin", extras.weixin, idleOfBots),
  bluebubbles: block("iMessage through BlueBubbles", extras.bluebubbles, idleWithoutChannels),
  qqbot: block("QQ", extras.qqbot, [...idleWithoutChannels, "stt_api_key", "stt_base_url", "stt_model"]),
  webhook: block("incoming webhooks", extras.webhook, [...idleWithoutChannels, "base_url"]),
  api_server: block("the API server", extras.api_server),
  homeassistant: block("Home Assistant", extras.homeassistant, idleWithoutChannels),
};
