/** Prefix of a platform's variables, and the key each ending stands for. `platforms.` keys are written out. */
interface PlatformNames {
  readonly id: string;
  readonly prefix: string;
  /** Variable ending to key below the platform's block, or below `platforms.<id>` with a leading `@`. */
  readonly own: Readonly<Record<string, string>>;
}

/** Endings every platform has. */
const shared: Readonly<Record<string, string>> = {
  ALLOWED_USERS: "allowed_users",
  ALLOW_ALL_USERS: "allow_all_users",
  ADMIN_USERS: "admin_users",
  GROUP_ALLOWED_USERS: "group_allowed_users",
  HOME_CHANNEL: "home_channel",
  ENABLED: "@enabled",
  REPLY_TO_MODE: "@reply_to_mode",
  PROXY: "proxy",
};

const lowered = (...endings: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(endings.map((ending) => [ending, ending.toLowerCase()]));

const platforms: readonly PlatformNames[] = [
  {
    id: "telegram",
    prefix: "TELEGRAM",
    own: {
      BOT_TOKEN: "@token",
      FREE_RESPONSE_CHATS: "free_response_channels",
      ...lowered("REQUIRE_MENTION", "MENTION_PATTERNS", "IGNORED_THREADS", "REACTIONS", "FALLBACK_IPS"),
      ...lowered("WEBHOOK_URL", "WEBHOOK_PORT", "WEBHOOK_SECRET"),
    },
  },
  {
    id: "discord",
    prefix: "DISCORD",
    own: {
      BOT_TOKEN: "@token",
      ...lowered("ALLOWED_ROLES", "REQUIRE_MENTION", "FREE_RESPONSE_CHANNELS", "ALLOWED_CHANNELS"),
      ...lowered("IGNORED_CHANNELS", "NO_THREAD_CHANNELS", "AUTO_THREAD", "IGNORE_NO_MENTION", "ALLOW_BOTS"),
      ...lowered("REACTIONS", "COMMAND_SYNC_POLICY", "ALLOW_MENTION_EVERYONE", "ALLOW_MENTION_ROLES"),
      ...lowered("ALLOW_MENTION_USERS", "ALLOW_MENTION_REPLIED_USER"),
    },
  },
  {
    id: "slack",
    prefix: "SLACK",
    own: {
      BOT_TOKEN: "@token",
      ...lowered("APP_TOKEN", "ALLOW_BOTS", "REQUIRE_MENTION", "FREE_RESPONSE_CHANNELS", "REACTIONS"),
      ...lowered("CONNECTION_MODE", "SIGNING_SECRET", "WEBHOOK_HOST", "WEBHOOK_PORT", "WEBHOOK_PATH"),
    },
  },
  {
    id: "whatsapp",
    prefix: "WHATSAPP",
    own: {
      CLOUD_ACCESS_TOKEN: "@token",
      CLOUD_PHONE_NUMBER_ID: "phone_number_id",
      CLOUD_APP_SECRET: "app_secret",
      CLOUD_VERIFY_TOKEN: "verify_token",
      CLOUD_API_VERSION: "api_version",
      CLOUD_WEBHOOK_PORT: "webhook_port",
      FREE_RESPONSE_CHATS: "free_response_channels",
      ...lowered("MODE", "REQUIRE_MENTION", "MENTION_PATTERNS", "DM_POLICY", "GROUP_POLICY", "DEBUG"),
      ...lowered("BACKEND", "BRIDGE_URL", "BRIDGE_TOKEN"),
    },
  },
  { id: "signal", prefix: "SIGNAL", own: lowered("HTTP_URL", "ACCOUNT", "IGNORE_STORIES") },
  {
    id: "matrix",
    prefix: "MATRIX",
    own: {
      ACCESS_TOKEN: "@token",
      HOME_ROOM: "home_channel",
      FREE_RESPONSE_ROOMS: "free_response_channels",
      ...lowered("HOMESERVER", "USER_ID", "PASSWORD", "ENCRYPTION", "DEVICE_ID", "RECOVERY_KEY"),
      ...lowered("REQUIRE_MENTION", "AUTO_THREAD", "DM_MENTION_THREADS", "REACTIONS"),
    },
  },
  {
    id: "mattermost",
    prefix: "MATTERMOST",
    own: { TOKEN: "@token", ...lowered("URL", "REPLY_MODE", "REQUIRE_MENTION", "FREE_RESPONSE_CHANNELS") },
  },
  {
    id: "email",
    prefix: "EMAIL",
    own: {
      PASSWORD: "@token",
      HOME_ADDRESS: "home_channel",
      ...lowered("ADDRESS", "IMAP_HOST", "IMAP_PORT", "SMTP_HOST", "SMTP_PORT", "POLL_INTERVAL"),
    },
  },
  { id: "sms", prefix: "SMS", own: lowered("WEBHOOK_URL", "WEBHOOK_HOST", "WEBHOOK_PORT", "INSECURE_NO_SIGNATURE") },
  {
    id: "dingtalk",
    prefix: "DINGTALK",
    own: {
      CLIENT_SECRET: "@token",
      FREE_RESPONSE_CHATS: "free_response_channels",
      ...lowered("CLIENT_ID", "REQUIRE_MENTION", "MENTION_PATTERNS"),
    },
  },
  {
    id: "feishu",
    prefix: "FEISHU",
    own: {
      APP_SECRET: "@token",
      ...lowered("APP_ID", "DOMAIN", "CONNECTION_MODE", "ENCRYPT_KEY", "VERIFICATION_TOKEN", "GROUP_POLICY"),
      ...lowered("BOT_OPEN_ID", "BOT_USER_ID", "BOT_NAME", "WEBHOOK_HOST", "WEBHOOK_PORT", "WEBHOOK_PATH", "REACTIONS"),
    },
  },
  {
    id: "wecom",
    prefix: "WECOM",
    own: { SECRET: "@token", ...lowered("BOT_ID", "WEBSOCKET_URL", "DM_POLICY", "GROUP_POLICY") },
  },
  {
    id: "wecom_callback",
    prefix: "WECOM_CALLBACK",
    own: { TOKEN: "@token", ...lowered("CORP_ID", "CORP_SECRET", "AGENT_ID", "ENCODING_AES_KEY", "HOST", "PORT") },
  },
  {
    id: "weixin",
    prefix: "WEIXIN",
    own: {
      TOKEN: "@token",
      ...lowered("ACCOUNT_ID", "BASE_URL", "CDN_BASE_URL", "DM_POLICY", "GROUP_POLICY", "SPLIT_MULTILINE_MESSAGES"),
    },
  },
  {
    id: "bluebubbles",
    prefix: "BLUEBUBBLES",
    own: {
      PASSWORD: "@token",
      ...lowered("SERVER_URL", "WEBHOOK_HOST", "WEBHOOK_PORT", "WEBHOOK_PATH", "SEND_READ_RECEIPTS"),
    },
  },
  {
    id: "qqbot",
    prefix: "QQ",
    own: { CLIENT_SECRET: "@token", ...lowered("APP_ID", "SANDBOX", "STT_API_KEY", "STT_BASE_URL", "STT_MODEL") },
  },
  { id: "webhook", prefix: "WEBHOOK", own: { SECRET: "@token", ...lowered("HOST", "PORT") } },
  {
    id: "api_server",
    prefix: "API_SERVER",
    own: { KEY: "@api_key", ...lowered("HOST", "PORT", "CORS_ORIGINS", "MODEL_NAME") },
  },
  { id: "homeassistant", prefix: "HASS", own: { TOKEN: "@token", URL: "url" } },
];

/** Variables of the gateway and its platforms, and the key each stands for. They beat the file, so that a service unit can set them. */
export const platformVariables: readonly (readonly [name: string, key: string])[] = [
  ["GATEWAY_ALLOWED_USERS", "gateway.allowed_users"],
  ["GATEWAY_ALLOW_ALL_USERS", "gateway.allow_all_users"],
  ["GATEWAY_ADMIN_USERS", "gateway.admin_users"],
  ["GATEWAY_PROXY_URL", "gateway.proxy_url"],
  ["HERMES_GATEWAY_BUSY_INPUT_MODE", "display.busy_input_mode"],
  ["SESSION_IDLE_MINUTES", "session_reset.idle_minutes"],
  ["SESSION_RESET_HOUR", "session_reset.at_hour"],
  ["TWILIO_ACCOUNT_SID", "sms.account_sid"],
  ["TWILIO_AUTH_TOKEN", "platforms.sms.token"],
  ["TWILIO_PHONE_NUMBER", "sms.phone_number"],
  ["QQBOT_HOME_CHANNEL", "qqbot.home_channel"],
  ["HERMES_TELEGRAM_MEDIA_BATCH_DELAY_SECONDS", "telegram.media_batch_delay_seconds"],
  ["HERMES_TELEGRAM_FOLLOWUP_GRACE_SECONDS", "telegram.followup_grace_seconds"],
  ...platforms.flatMap(({ id, prefix, own }) =>
    Object.entries({ ...shared, ...own }).map(
      ([ending, key]) =>
        [`${prefix}_${ending}`, key.startsWith("@") ? `platforms.${id}.${key.slice(1)}` : `${id}.${key}`] as const,
    ),
  ),
];
