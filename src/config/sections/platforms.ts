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
const allowBots = choice(["none", "mentions", "all"], "none", "Messages of other bots.");
const replyModes = ["off", "first", "all"] as const;

/** Keys every platform block has. They say who may talk to Hermes there, and what it listens to. */
const shared = {
  allowed_users: texts([], "People who may use it."),
  allow_all_users: flag(false, "Let everybody use it."),
  admin_users: texts([], "People who may use administrative commands; the only one named is the owner of this home."),
  group_allowed_users: texts([], "Groups whose members may all use it."),
  require_mention: optionalFlag("In groups, answer only when addressed."),
  free_response_channels: texts([], "Channels where it answers without being addressed."),
  mention_patterns: texts([], "Patterns that count as being addressed."),
  dm_policy: optionalChoice(policies, "Direct messages."),
  allow_from: texts([], "Senders let through by an allowlist policy."),
  group_policy: optionalChoice(policies, "Groups."),
  group_allow_from: texts([], "Groups let through by an allowlist policy."),
  channel_prompts: mapOf(anyText, "Further instructions for single channels."),
  channel_skill_bindings: freeMap("Skills loaded in single channels."),
  reply_prefix: optionalText("Text before every answer."),
  unauthorized_dm_behavior: optionalChoice(["pair", "ignore"], "What strangers get."),
  reactions: optionalFlag("Mark messages with reactions while working."),
  proxy: text("", "Proxy for this platform (http, https or socks5); empty uses the one of the environment."),
  base_url: text("", "Address of the platform's API, for an own server."),
  home_channel: text("", "Chat that scheduled results and notices go to."),
};

const mention = (initial: boolean) => ({ require_mention: flag(initial, "In groups, answer only when addressed.") });

const extras = {
  telegram: {
    ...mention(false),
    reactions: flag(false, "Mark messages with reactions while working."),
    ignored_threads: texts([], "Topics it does not listen to."),
    fallback_ips: texts([], "Addresses to try when the name of Telegram's server does not resolve."),
    base_file_url: text("", "Address files are fetched from."),
    disable_link_previews: flag(false, "Send links without preview."),
    dm_topics: freeMap("Topics in direct messages, with their skills."),
    group_topics: freeMap("Topics in groups, with their skills."),
    webhook_url: text("", "Public address for updates; empty polls."),
    webhook_port: whole(8443, "Local port for updates.", { max: 65_535 }),
    webhook_secret: secret("Secret that proves updates are genuine."),
    media_batch_delay_seconds: amount(0.8, "Seconds to wait for further pictures of an album."),
    followup_grace_seconds: amount(
      3,
      "Seconds from the begin of a turn in which words do not stop it; they are answered next.",
    ),
  },
  discord: {
    ...mention(true),
    reactions: flag(true, "Mark messages with reactions while working."),
    allowed_roles: texts([], "Ids of roles whose members may use it in their server."),
    allowed_channels: texts([], "Only these channels; empty allows all."),
    ignored_channels: texts([], "Channels it does not listen to."),
    no_thread_channels: texts([], "Channels where it answers without a thread."),
    auto_thread: flag(true, "Answer in a thread."),
    ignore_no_mention: flag(true, "Skip messages that address others but not the bot."),
    allow_bots: allowBots,
    allow_mention_everyone: flag(false, "May address everyone."),
    allow_mention_roles: flag(false, "May address roles."),
    allow_mention_users: flag(true, "May address people."),
    allow_mention_replied_user: flag(true, "May address the person it replies to."),
    command_sync_policy: choice(
      ["safe", "bulk", "off"],
      "safe",
      "How slash commands are registered: only what differs, all anew, or not at all.",
    ),
    server_actions: texts([], "Server actions the discord tools may use; empty allows those the bot can do."),
  },
  slack: {
    ...mention(true),
    reactions: flag(true, "Mark messages with reactions while working."),
    app_token: secret("Token of the app for socket connections."),
    allow_bots: allowBots,
    reply_in_thread: flag(true, "Answer in a thread; otherwise in the channel, but for threads that exist."),
    reply_broadcast: flag(false, "Show thread answers in the channel too."),
    dm_top_level_threads_as_sessions: flag(true, "In direct messages, every thread is its own session."),
  },
  whatsapp: {
    backend: choice(["cloud", "bridge"], "cloud", "Business API, or a linked device through a bridge process."),
    mode: choice(["self-chat", "bot"], "self-chat", "Speak with yourself, or as a bot with others (bridge)."),
    phone_number_id: text("", "Id of the business number."),
    app_secret: secret("Secret of the app, to check incoming calls."),
    verify_token: secret("Word expected when the address is registered."),
    api_version: text("", "Version of the business API."),
    webhook_port: whole(8646, "Local port for incoming calls.", { max: 65_535 }),
    template: text("", "Template sent when the answer window has closed."),
    bridge_url: text("http://127.0.0.1:3000", "Address of the bridge process; on this machine only."),
    bridge_token: secret("Word that opens the bridge."),
    debug: flag(false, "Log why the bridge's messages were left out."),
  },
  signal: {
    backend: choice(["daemon", "rest"], "daemon", "signal-cli daemon, or the REST container."),
    http_url: text("", "Address of the daemon."),
    account: text("", "Own number."),
    ignore_stories: flag(true, "Skip stories."),
  },
  matrix: {
    ...mention(true),
    reactions: flag(true, "Mark messages with reactions while working."),
    homeserver: text("", "Home server."),
    user_id: text("", "Own user id."),
    password: secret("Password, where no token is set."),
    device_id: text("", "Device id."),
    recovery_key: secret("Key that unlocks encrypted history."),
    encryption: flag(false, "Use end-to-end encryption."),
    auto_thread: flag(true, "Answer in a thread."),
    dm_mention_threads: flag(false, "In direct messages, start a thread when addressed."),
  },
  mattermost: {
    ...mention(true),
    url: text("", "Server."),
    reply_mode: choice(["off", "thread"], "off", "Answer in a thread."),
  },
  email: {
    address: text("", "Own address."),
    imap_host: text("", "Server for incoming mail."),
    imap_port: whole(993, "Its port.", { max: 65_535 }),
    smtp_host: text("", "Server for outgoing mail."),
    smtp_port: whole(587, "Its port.", { max: 65_535 }),
    poll_interval: whole(15, "Seconds between two looks where the server cannot push.", { min: 1 }),
    skip_attachments: flag(false, "Ignore attached files."),
    require_auth_results: flag(false, "Accept only mail whose sender the receiving server has verified."),
    auth_results_server: text("", "Name of that server in its Authentication-Results; empty takes the topmost one."),
    session_by: choice(["sender", "thread"], "sender", "One session per sender, or per thread."),
  },
  sms: {
    account_sid: text("", "Twilio account."),
    phone_number: text("", "Own number."),
    webhook_url: text("", "Public address of incoming calls; needed to check them."),
    webhook_host: text("0.0.0.0", "Local address to listen on."),
    webhook_port: whole(8080, "Local port to listen on.", { max: 65_535 }),
    insecure_no_signature: flag(false, "Accept unsigned calls; only on this machine."),
  },
  dingtalk: {
    ...mention(false),
    reactions: flag(true, "Mark messages with reactions while working."),
    client_id: text("", "Client id."),
    robot_code: text("", "Robot code."),
    card_template_id: text("", "Template for growing answers."),
  },
  feishu: {
    app_id: text("", "App id."),
    domain: choice(["feishu", "lark"], "feishu", "Which of the two services."),
    connection_mode: choice(["websocket", "webhook"], "websocket", "How messages arrive."),
    encrypt_key: secret("Key of encrypted events."),
    verification_token: secret("Token that proves events are genuine."),
    group_policy: choice(policies, "allowlist", "Groups."),
    bot_open_id: text("", "Own open id."),
    bot_user_id: text("", "Own user id."),
    bot_name: text("", "Own name."),
    webhook_host: text("127.0.0.1", "Local address to listen on."),
    webhook_port: whole(8765, "Local port to listen on.", { max: 65_535 }),
    webhook_path: text("/feishu/webhook", "Path to listen on."),
    group_rules: freeMap("Rules for single chats."),
    default_group_policy: text("", "Rule for all other chats."),
    admins: texts([], "Administrators."),
  },
  wecom: {
    bot_id: text("", "Bot id."),
    websocket_url: text("wss://openws.work.weixin.qq.com", "Address."),
    dm_policy: choice(policies, "open", "Direct messages."),
    group_policy: choice(policies, "open", "Groups."),
    groups: mapOf(group({ allow_from: texts([], "People let through.") }), "Rules for single groups."),
  },
  wecom_callback: {
    corp_id: text("", "Corporation."),
    corp_secret: secret("Secret of the corporation."),
    agent_id: text("", "App."),
    encoding_aes_key: secret("Key of encrypted calls."),
    host: text("0.0.0.0", "Local address to listen on."),
    port: whole(8645, "Local port to listen on.", { max: 65_535 }),
    apps: freeMaps("Further corporations."),
  },
  weixin: {
    account_id: text("", "Account."),
    base_url: text("https://ilinkai.weixin.qq.com", "Address."),
    cdn_base_url: text("https://novac2c.cdn.weixin.qq.com/c2c", "Address of media."),
    dm_policy: choice(policies, "open", "Direct messages."),
    group_policy: choice(policies, "disabled", "Groups."),
    split_multiline_messages: flag(false, "Send every line as a message."),
  },
  bluebubbles: {
    server_url: text("", "Server."),
    webhook_host: text("127.0.0.1", "Local address to listen on."),
    webhook_port: whole(8645, "Local port to listen on.", { max: 65_535 }),
    webhook_path: text("/bluebubbles-webhook", "Path to listen on."),
    send_read_receipts: flag(true, "Mark messages as read."),
  },
  qqbot: {
    app_id: text("", "App id."),
    sandbox: flag(false, "Use the test environment."),
    markdown_support: flag(true, "Send markdown."),
    stt_api_key: secret("Credential for voice messages."),
    stt_base_url: text("", "Service for voice messages."),
    stt_model: text("", "Model for voice messages."),
  },
  webhook: {
    host: text("0.0.0.0", "Local address to listen on."),
    port: whole(8644, "Local port to listen on.", { max: 65_535 }),
    rate_limit: whole(30, "Calls per minute and route."),
    max_body_bytes: whole(1_048_576, "Largest call in bytes."),
  },
  api_server: {
    host: text("127.0.0.1", { description: "Local address to listen on.", noEffect: false }),
    port: whole(8642, { description: "Local port to listen on.", noEffect: false }, { max: 65_535 }),
    cors_origins: texts([], { description: "Web pages that may call it; `*` allows all.", noEffect: false }),
    model_name: text("", {
      description: "Name it goes by in model lists; empty takes the profile's.",
      noEffect: false,
    }),
    model_routes: mapOf(anyText, { description: "Model for each name a client may ask for.", noEffect: false }),
    keys: listOf(
      group({
        name: text("", "Who the key belongs to."),
        sha256: text("", "Hash of the key."),
        scopes: texts(["chat"], "What it may do: `chat`, `runs`, `jobs`, `admin`."),
        rate_limit: whole(60, "Calls per minute."),
      }),
      { description: "Further keys.", noEffect: false },
    ),
    rate_limit: whole(60, { description: "Calls per minute and key; 0 sets no limit.", noEffect: false }),
    max_stored_responses: whole(100, { description: "Answers kept for later calls.", noEffect: false }),
  },
  homeassistant: {
    url: text("http://homeassistant.local:8123", { description: "Server.", noEffect: false }),
    watch_domains: texts([], "Kinds of device it reports on."),
    watch_entities: texts([], "Devices it reports on."),
    ignore_entities: texts([], "Devices it never reports on."),
    watch_all: flag(false, "Report on everything."),
    cooldown_seconds: amount(30, "Seconds between two reports about one device."),
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
  return { ...node, about: { ...facts, noEffect: `${id} does not use it yet.` } };
}

/** Platforms without channels have nothing to be addressed in. */
const idleInPrivate = ["require_mention", "free_response_channels", "mention_patterns", "channel_prompts"];

/** …and whose messages cannot be marked. */
const idleWithoutChannels = [...idleInPrivate, "reactions"];

/** Bots that have rules for chats of their own, and hear in groups only what addresses them. */
const idleOfBots = ["reactions", "require_mention", "free_response_channels", "mention_patterns"];

const homeChannel = group({
  platform: text("", { description: "Platform.", noEffect: "It is always the one that it stands under." }),
  chat_id: text("", "Chat."),
  name: text("", "Name for lists."),
  thread_id: text("", "Thread in that chat."),
});

const connection = group({
  enabled: optionalFlag("Connect; absent connects when credentials are there."),
  token: secret("Token or password."),
  api_key: secret("Further credential."),
  home_channel: optional(homeChannel, "Chat that scheduled results and notices go to."),
  reply_to_mode: choice(replyModes, "first", "Which parts of an answer refer to the message."),
  retry_limit: optionalWhole({
    description: "Attempts to connect.",
    noEffect: "It is tried for as long as it may help.",
  }),
  extra: freeMap("Further values for the platform."),
});

export const platformSections = {
  platforms: mapOf(connection, {
    description: "Connections to platforms.",
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
