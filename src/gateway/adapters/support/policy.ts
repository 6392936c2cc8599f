import type { ChatType } from "../../platform/inbound.ts";

export interface ChatPolicies {
  /** `pairing` lets people in: whoever is unknown gets a code from the gateway. */
  readonly dm: "open" | "allowlist" | "disabled" | "pairing";
  readonly group: "open" | "allowlist" | "disabled" | "pairing";
  /** Entries may say what they name: `user:ada`, `group:g1`, `wecom:ada`. */
  readonly allowFrom: readonly string[];
  readonly groupAllowFrom: readonly string[];
  /** People let through in one group; a group without a rule lets all of its members through. */
  readonly members?: Readonly<Record<string, { readonly allow_from: readonly string[] }>> | undefined;
}

export interface Writer {
  readonly chatType: ChatType;
  readonly chatId: string;
  readonly userId: string;
}

/** Whether a platform's own rules let a message through; who may use Hermes at all is decided later. */
export function isLetThrough({ chatType, chatId, userId }: Writer, policies: ChatPolicies): boolean {
  if (chatType === "dm") {
    if (policies.dm === "allowlist") return isNamed(policies.allowFrom, userId);
    return policies.dm !== "disabled";
  }
  if (policies.group === "disabled") return false;
  if (policies.group !== "open" && !isNamed(policies.groupAllowFrom, chatId)) return false;
  const members = policies.members?.[chatId]?.allow_from ?? [];
  return members.length === 0 || isNamed(members, userId);
}

function isNamed(entries: readonly string[], id: string): boolean {
  return entries.some((entry) => entry === "*" || entry.replace(/^(?:[a-z]+:)+/u, "") === id || entry === id);
}
