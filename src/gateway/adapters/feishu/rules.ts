import type { Config } from "#config";
import { isRecord } from "#foundation/text/json";
import { type Fields, textAt } from "../support/fields.ts";

/** All ids of one person; lists may hold any of them. */
export type PersonIds = readonly string[];

export function idsOf(person: Fields): PersonIds {
  return [textAt(person, "open_id"), textAt(person, "union_id"), textAt(person, "user_id")].filter((id) => id !== "");
}

/** Whether the rules for groups let a person through; who may use Hermes at all is decided later. */
export function isGroupOpen(chatId: string, person: PersonIds, settings: Config["feishu"]): boolean {
  const found = settings.group_rules[chatId];
  const rule: Fields = isRecord(found) ? found : {};
  const policy = textAt(rule, "policy") || settings.default_group_policy || settings.group_policy;
  const isAdmin = names([...settings.admins, ...settings.admin_users], person);
  switch (policy) {
    case "open":
      return true;
    case "blacklist":
      return isAdmin || !names(listAt(rule, "blacklist"), person);
    case "admin_only":
      return isAdmin;
    case "allowlist":
    case "pairing": {
      const groups = [...settings.group_allow_from, ...settings.group_allowed_users];
      const users = [...listAt(rule, "allowlist"), ...settings.allowed_users, ...settings.allow_from];
      return isAdmin || settings.allow_all_users || groups.includes(chatId) || names(users, person);
    }
    default:
      return false;
  }
}

function names(entries: readonly string[], person: PersonIds): boolean {
  return entries.includes("*") || person.some((id) => entries.includes(id));
}

function listAt(fields: Fields, name: string): readonly string[] {
  const value = fields[name];
  return Array.isArray(value) ? value.map(String) : [];
}
