import { environmentVariables, isPlatformId, isSecretVariable } from "#config";
import type { KeyFacts } from "#dashboard";
import { ProviderRegistry } from "#model";
import { serviceKeys } from "./service-keys.ts";

/** Every credential Hermes knows, each once: those of models first, what belongs to no service last. */
export function dashboardKeys(): readonly KeyFacts[] {
  const found = new Map<string, KeyFacts>();
  for (const facts of [...modelKeys(), ...knownServices(), ...platformKeys(), ...otherKeys()])
    if (!found.has(facts.name)) found.set(facts.name, facts);
  return [...found.values()];
}

function modelKeys(): readonly KeyFacts[] {
  return new ProviderRegistry()
    .all()
    .flatMap(({ label, keyEnv, signUpUrl: url }) => keyEnv.map((name) => ({ name, group: "Models", label, url })));
}

function knownServices(): readonly KeyFacts[] {
  return Object.entries(serviceKeys).flatMap(([group, services]) =>
    services.flatMap(([label, url, ...names]) => names.map((name) => ({ name, group, label, url }))),
  );
}

/** Variables that stand for a credential in the settings of a chat platform. */
function platformKeys(): readonly KeyFacts[] {
  return environmentVariables.flatMap((variable) => {
    if (variable.kind !== "override" || !isSecretVariable(variable.name)) return [];
    const id = variable.key.replace(/^platforms\./, "").split(".")[0] ?? "";
    if (!isPlatformId(id)) return [];
    return [{ name: variable.name, group: "Chat platforms", label: platformName(id), url: platformPages[id] }];
  });
}

function otherKeys(): readonly KeyFacts[] {
  return environmentVariables
    .filter(({ kind }) => kind === "secret")
    .map(({ name }) => ({ name, group: "Other", label: name, url: undefined }));
}

/** Where a bot or an app is registered. */
const platformPages: Readonly<Record<string, string>> = {
  telegram: "https://t.me/BotFather",
  discord: "https://discord.com/developers/applications",
  slack: "https://api.slack.com/apps",
  whatsapp: "https://developers.facebook.com/apps",
  mattermost: "https://developers.mattermost.com/integrate/reference/bot-accounts/",
  feishu: "https://open.feishu.cn/app",
  dingtalk: "https://open-dev.dingtalk.com",
  sms: "https://console.twilio.com",
};

const spelled: Readonly<Record<string, string>> = {
  api_server: "HTTP API",
  bluebubbles: "BlueBubbles",
  dingtalk: "DingTalk",
  homeassistant: "Home Assistant",
  qqbot: "QQ",
  sms: "SMS (Twilio)",
  wecom: "WeCom",
  wecom_callback: "WeCom (callback)",
  whatsapp: "WhatsApp",
};

const platformName = (id: string): string => spelled[id] ?? `${id.charAt(0).toUpperCase()}${id.slice(1)}`;
