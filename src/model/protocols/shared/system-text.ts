import type { ModelRequest } from "../../request.ts";

/** The system prompt as one text: the lasting part, and behind it what holds for this call only. */
export function systemText(request: Pick<ModelRequest, "system" | "ephemeral">): string {
  return [request.system.trim(), request.ephemeral?.trim() ?? ""].filter((part) => part !== "").join("\n\n");
}
