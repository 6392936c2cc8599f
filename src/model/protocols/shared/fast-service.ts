import type { Target } from "../../target.ts";
import { hostOf, isHost } from "./endpoint.ts";

/** Whether an endpoint sells a faster service beside the usual one; elsewhere asking for it is refused, or ignored. */
export function hasFastService(target: Target): boolean {
  const host = hostOf(target);
  if (target.protocol === "anthropic_messages") return isHost(host, "api.anthropic.com");
  const isOpenAiWire = target.protocol === "chat_completions" || target.protocol === "codex_responses";
  return isOpenAiWire && ["api.openai.com", "chatgpt.com", "openrouter.ai"].some((domain) => isHost(host, domain));
}
