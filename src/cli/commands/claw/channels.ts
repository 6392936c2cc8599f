import path from "node:path";
import { valueAt } from "#config";
import { isRecord } from "#foundation/text/json";
import { type OldHome, readOldJson } from "./old-home.ts";
import { plainText, plainTexts, type WantedSetting, webAddress } from "./wanted-setting.ts";

/** Channels there, and what they are called here. */
const platforms: Readonly<Record<string, string>> = {
  telegram: "telegram",
  discord: "discord",
  slack: "slack",
  whatsapp: "whatsapp",
  signal: "signal",
  matrix: "matrix",
  mattermost: "mattermost",
  bluebubbles: "bluebubbles",
  feishu: "feishu",
};

/** Further fields that mean the same; credentials are not among them. */
const fields: Readonly<
  Record<string, Readonly<Record<string, { readonly to: string; readonly isAddress?: boolean }>>>
> = {
  signal: { account: { to: "account" }, httpUrl: { to: "http_url", isAddress: true } },
  matrix: { homeserver: { to: "homeserver", isAddress: true }, userId: { to: "user_id" } },
  mattermost: { baseUrl: { to: "url", isAddress: true } },
  bluebubbles: { serverUrl: { to: "server_url", isAddress: true } },
  feishu: { appId: { to: "app_id" } },
};

/** Who may write to the bot, and where it listens. */
export async function channelSettings(old: OldHome): Promise<readonly WantedSetting[]> {
  const channels = { ...recordAt(old.config, ["channels"]) };
  // Oldest versions had the blocks at the top.
  for (const name of Object.keys(platforms)) channels[name] ??= old.config[name];
  const wanted: WantedSetting[] = [];
  for (const [name, block] of Object.entries(channels)) {
    const platform = Object.hasOwn(platforms, name) ? platforms[name] : undefined;
    if (name === "defaults" || name === "modelByChannel" || !isRecord(block)) continue;
    if (platform === undefined)
      wanted.push({ item: `channels.${name}`, kind: "refused", why: "there is no such platform here" });
    else wanted.push(...blockSettings(name, platform, block), ...(await pairedUsers(old, name, platform)));
  }
  return wanted;
}

function blockSettings(
  name: string,
  platform: string,
  block: Readonly<Record<string, unknown>>,
): readonly WantedSetting[] {
  const wanted: WantedSetting[] = [];
  const listed = plainTexts(block["allowFrom"] ?? valueAt(block, ["dm", "allowFrom"]));
  const users = listed.filter((one) => one !== "*").map(personOf);
  const item = `channels.${name}.allowFrom`;
  if (users.length > 0) wanted.push({ item, kind: "add", path: [platform, "allowed_users"], values: users });
  if (listed.includes("*"))
    wanted.push({
      item: `${item} *`,
      kind: "refused",
      why: `everybody is let in only by you: hermes config set ${platform}.allow_all_users on`,
    });
  const policy = plainText(block["dmPolicy"] ?? valueAt(block, ["dm", "policy"]));
  if (policy === "open")
    wanted.push({
      item: `channels.${name}.dmPolicy`,
      kind: "refused",
      why: "a bot that answers everybody is not imported",
    });
  else if (policy === "allowlist" || policy === "disabled" || policy === "pairing")
    wanted.push({ item: `channels.${name}.dmPolicy`, kind: "set", path: [platform, "dm_policy"], value: policy });
  const mention = valueAt(block, ["groups", "*", "requireMention"]) ?? block["requireMention"];
  if (typeof mention === "boolean")
    wanted.push({
      item: `channels.${name}.requireMention`,
      kind: "set",
      path: [platform, "require_mention"],
      value: mention,
    });
  for (const [from, { to, isAddress }] of Object.entries(fields[name] ?? {})) {
    const value = isAddress === true ? webAddress(block[from]) : plainText(block[from]);
    if (value !== undefined)
      wanted.push({ item: `channels.${name}.${from}`, kind: "set", path: [platform, to], value });
  }
  if (isRecord(block["accounts"]) && Object.keys(block["accounts"]).length > 1)
    wanted.push({ item: `channels.${name}.accounts`, kind: "refused", why: "one account for each platform here" });
  return wanted;
}

/** People who were let in with a code are kept beside the settings there. */
async function pairedUsers(old: OldHome, name: string, platform: string): Promise<readonly WantedSetting[]> {
  const store = await readOldJson(path.join(old.root, "credentials", `${name}-allowFrom.json`));
  const values = plainTexts(store?.["allowFrom"])
    .filter((one) => one !== "*")
    .map(personOf);
  const item = `credentials/${name}-allowFrom.json`;
  return values.length === 0 ? [] : [{ item, kind: "add", path: [platform, "allowed_users"], values }];
}

/** `tg:123`, `telegram:123`, `user:123` and `discord:123` are 123 here. */
function personOf(written: string): string {
  return written.replace(/^(?:(?:tg|telegram|discord|slack|whatsapp|signal|mattermost|feishu|user):|users\/)/i, "");
}

function recordAt(tree: unknown, keys: readonly string[]): Readonly<Record<string, unknown>> {
  const value = valueAt(tree, keys);
  return isRecord(value) ? value : {};
}
