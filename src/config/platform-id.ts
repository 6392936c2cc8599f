/** Every platform a chat may come from; the same words are used in keys, targets and commands. */
export const platformIds = [
  "telegram",
  "discord",
  "slack",
  "whatsapp",
  "signal",
  "matrix",
  "mattermost",
  "email",
  "sms",
  "dingtalk",
  "feishu",
  "wecom",
  "wecom_callback",
  "weixin",
  "bluebubbles",
  "qqbot",
  "webhook",
  "api_server",
  "homeassistant",
] as const;

export type PlatformId = (typeof platformIds)[number];

export function isPlatformId(id: string): id is PlatformId {
  return (platformIds as readonly string[]).includes(id);
}
