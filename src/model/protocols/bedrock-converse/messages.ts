import { type Content, callsOf, type ImagePart } from "#conversation";
import type { ModelRequest } from "../../request.ts";
import type { Target } from "../../target.ts";
import { CallIds } from "../shared/call-ids.ts";
import { argumentObject, prepareHistory, wireName } from "../shared/history.ts";
import { readImage } from "../shared/media.ts";
import type { ConverseBlock, ConverseMessage } from "./wire.ts";

const maxIdLength = 64;
const silence = "(no words)";

export interface ConverseMessages {
  readonly messages: readonly ConverseMessage[];
  /** Names of the tools that the history mentions. */
  readonly usedTools: ReadonlySet<string>;
}

export function converseMessages(request: ModelRequest): ConverseMessages {
  const { target } = request;
  const ids = new CallIds(maxIdLength);
  const usedTools = new Set<string>();
  const messages: { role: "user" | "assistant"; content: ConverseBlock[] }[] = [];
  const push = (role: "user" | "assistant", blocks: readonly ConverseBlock[]): void => {
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else messages.push({ role, content: [...blocks] });
  };
  for (const message of prepareHistory(request.messages)) {
    switch (message.role) {
      case "user":
        push("user", contentBlocks(message.content, target));
        break;
      case "assistant": {
        const calls = callsOf(message).map((call): ConverseBlock => {
          const name = wireName(call.function.name);
          usedTools.add(name);
          return { toolUse: { toolUseId: ids.of(call.id), name, input: argumentObject(call.function.arguments) } };
        });
        const text = message.content.trim() === "" ? [] : [{ text: message.content }];
        const blocks = [...text, ...calls];
        push("assistant", blocks.length === 0 ? [{ text: silence }] : blocks);
        break;
      }
      case "tool":
        push("user", [
          {
            toolResult: {
              toolUseId: ids.of(message.tool_call_id),
              content: contentBlocks(message.content, target),
              status: "success",
            },
          },
        ]);
        break;
    }
  }
  return { messages, usedTools };
}

function contentBlocks(content: Content, target: Target): readonly ConverseBlock[] {
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const blocks = parts.flatMap((part): readonly ConverseBlock[] => {
    if (part.type !== "text") return [imageBlock(part, target)];
    return part.text.trim() === "" ? [] : [{ text: part.text }];
  });
  return blocks.length === 0 ? [{ text: silence }] : blocks;
}

function imageBlock(part: ImagePart, target: Target): ConverseBlock {
  const image = readImage(part, target);
  if (image.kind === "refused") return { text: image.text };
  if (image.kind === "remote") return { text: "[image not sent: this service takes image data only, no addresses]" };
  return { image: { format: image.mediaType.slice("image/".length), source: { bytes: image.data } } };
}
