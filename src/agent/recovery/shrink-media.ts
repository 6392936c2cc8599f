import { type ContentPart, type Message, textPart } from "#conversation";
import type { Remedy } from "./remedy.ts";
import type { RemedyDeps } from "./standard.ts";

const gone = "[An image stood here. The model's provider refused its size, and it could not be made smaller.]";

/** An image the provider finds too large: made smaller, or replaced by a note that says so. */
export function shrinkMedia(deps: RemedyDeps): Remedy {
  return {
    name: "shrink-media",
    limit: { per: "turn", times: 1 },
    treats: (problem) => problem.stage === "request" && problem.failure.kind === "media_too_large",
    async apply(_problem, turn) {
      const changed: Message[] = [];
      for (const message of turn.history) changed.push(await withSmallImages(message, deps, turn.signal));
      if (changed.every((message, index) => message === turn.history[index])) return undefined;
      turn.replaceHistory(changed, "images made smaller");
      return { kind: "retry", waitMs: 0 };
    },
  };
}

async function withSmallImages(message: Message, deps: RemedyDeps, signal: AbortSignal): Promise<Message> {
  if (message.role === "assistant" || typeof message.content === "string") return message;
  if (!message.content.some((part) => part.type === "image_url")) return message;
  const parts: ContentPart[] = [];
  for (const part of message.content) {
    if (part.type !== "image_url") {
      parts.push(part);
      continue;
    }
    const smaller = await deps.shrinkImage?.(part.image_url.url, signal);
    parts.push(smaller === undefined ? textPart(gone) : { ...part, image_url: { ...part.image_url, url: smaller } });
  }
  return { ...message, content: parts };
}
