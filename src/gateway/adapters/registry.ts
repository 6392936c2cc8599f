import type { Config } from "#config";
import type { Platform } from "../platform/platform.ts";

/** Each is loaded when it is used; loading one loads no library of another. */
const adapters: Readonly<Record<string, () => Promise<Platform>>> = {
  bluebubbles: async () => (await import("./bluebubbles/index.ts")).bluebubbles,
  dingtalk: async () => (await import("./dingtalk/index.ts")).dingtalk,
  discord: async () => (await import("./discord/index.ts")).discord,
  email: async () => (await import("./email/index.ts")).email,
  feishu: async () => (await import("./feishu/index.ts")).feishu,
  homeassistant: async () => (await import("./homeassistant/index.ts")).homeassistant,
  matrix: async () => (await import("./matrix/index.ts")).matrix,
  mattermost: async () => (await import("./mattermost/index.ts")).mattermost,
  qqbot: async () => (await import("./qqbot/index.ts")).qqbot,
  signal: async () => (await import("./signal/index.ts")).signal,
  slack: async () => (await import("./slack/index.ts")).slack,
  sms: async () => (await import("./sms/index.ts")).sms,
  telegram: async () => (await import("./telegram/index.ts")).telegram,
  wecom: async () => (await import("./wecom/index.ts")).wecom,
  wecom_callback: async () => (await import("./wecom-callback/index.ts")).wecomCallback,
  weixin: async () => (await import("./weixin/index.ts")).weixin,
  whatsapp: async () => (await import("./whatsapp/index.ts")).whatsapp,
  webhook: async () => (await import("./webhook/index.ts")).webhook,
};

export const platformIds: readonly string[] = Object.keys(adapters);

export async function loadPlatform(id: string): Promise<Platform | undefined> {
  return await adapters[id]?.();
}

/** Platforms that are switched on, or have their credentials and are not switched off. */
export async function enabledPlatforms(config: Config): Promise<readonly Platform[]> {
  const chosen = platformIds.filter((id) => {
    const connection = config.platforms[id];
    return connection?.enabled ?? ((connection?.token.reveal() ?? "") !== "" || hasOtherCredentials(id, config));
  });
  const loaded = await Promise.all(chosen.map(loadPlatform));
  const platforms = loaded.filter((platform) => platform !== undefined);
  return await Promise.all(platforms.map(async (platform) => (await platform.variantFor?.(config)) ?? platform));
}

/** Platforms that are told apart by something else than a token. */
function hasOtherCredentials(id: string, { signal, matrix, whatsapp }: Config): boolean {
  if (id === "matrix") return matrix.user_id !== "" && matrix.password.reveal() !== "";
  if (id === "whatsapp") return whatsapp.backend === "bridge" && whatsapp.bridge_token.reveal() !== "";
  return id === "signal" && signal.http_url !== "" && signal.account !== "";
}
