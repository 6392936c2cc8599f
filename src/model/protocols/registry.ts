import type { ProtocolName } from "../target.ts";
import type { Protocol } from "./protocol.ts";

/** One line per wire language; each is loaded when the first request needs it. */
const loaders: Readonly<Record<ProtocolName, () => Promise<{ readonly protocol: Protocol }>>> = {
  chat_completions: () => import("./chat-completions/index.ts"),
  anthropic_messages: () => import("./anthropic-messages/index.ts"),
  codex_responses: () => import("./responses/index.ts"),
  gemini_generate: () => import("./gemini/index.ts"),
  bedrock_converse: () => import("./bedrock-converse/index.ts"),
};

export async function protocolFor(name: ProtocolName): Promise<Protocol> {
  const { protocol } = await loaders[name]();
  return protocol;
}
