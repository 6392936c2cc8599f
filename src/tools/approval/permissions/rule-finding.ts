import type { Finding } from "../../contract/approval-request.ts";
import type { PermissionVerdict } from "./permissions.ts";

/** What a person is asked because of a rule: only a person answers, about exactly this. */
export function ruleFinding({ reason }: PermissionVerdict): Finding {
  return { key: reason, description: `${reason} wants your word`, severity: "ask", source: "rule", isExact: true };
}
