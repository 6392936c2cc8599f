import type { MessageContent, Reply } from "../reply.ts";
import { renderAnthropic } from "./anthropic.ts";
import { renderChat } from "./chat.ts";
import { failureFrames, renderFailure } from "./failure.ts";
import { renderResponses } from "./responses.ts";
import type { RenderContext, WireReply } from "./wire-reply.ts";

/** A reply in the dialect of the request; undefined when it is silence. */
export function render(reply: Reply, context: RenderContext): WireReply | undefined {
  const { content } = reply;
  switch (content.kind) {
    case "silence":
      return undefined;
    case "raw":
      return {
        status: content.status,
        headers: content.headers,
        frames: content.chunks.map((bytes) => ({ kind: "bytes", bytes })),
      };
    case "failure":
      return renderFailure(content, context);
    case "message":
      return renderWithMidway(reply, content, context);
  }
}

function renderWithMidway(reply: Reply, message: MessageContent, context: RenderContext): WireReply {
  const { midway } = reply.delivery;
  if (midway === undefined) return renderMessage(message, context);
  if (!context.request.stream) return renderFailure(midway.failure, context);
  const wire = renderMessage(message, context);
  const content = wire.frames.filter((frame) => frame.kind === "event" && frame.phase === "content");
  const kept = midway.afterEvents === undefined ? content : content.slice(0, midway.afterEvents);
  return { ...wire, frames: [...kept, ...failureFrames(midway.failure, context, kept.length)] };
}

function renderMessage(message: MessageContent, context: RenderContext): WireReply {
  switch (context.request.protocol) {
    case "chat":
      return renderChat(message, context);
    case "anthropic":
      return renderAnthropic(message, context);
    case "responses":
      return renderResponses(message, context);
  }
}
