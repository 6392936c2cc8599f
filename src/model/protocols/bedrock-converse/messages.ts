import {
  type AssistantMessage,
  type Content,
  callsOf,
  type ImagePart,
  type ToolMessage,
  type UserMessage,
} from "#conversation";
import type { ModelRequest } from "../../request.ts";
import type { Target } from "../../target.ts";
import type { JsonText } from "../body.ts";
import { CallIds } from "../shared/call-ids.ts";
import { argumentObject, prepareHistory, wireName } from "../shared/history.ts";
import { imageFacts, readImage } from "../shared/media.ts";
import { WireTurns } from "../shared/wire-turns.ts";
import { type WireForm, type WireMemo, wireRun } from "../wire-memo.ts";
import type { ConverseBlock } from "./wire.ts";

const maxIdLength = 64;
const silence = "(no words)";

export interface ConverseMessages {
  readonly messages: JsonText;
  /** Names of the tools that the history mentions. */
  readonly usedTools: ReadonlySet<string>;
}

type BlocksForm = WireForm<readonly ConverseBlock[]>;

export function converseMessages(request: ModelRequest, memo: WireMemo): ConverseMessages {
  const { target } = request;
  const ids = new CallIds(maxIdLength);
  const usedTools = new Set<string>();
  const facts = `converse ${imageFacts(target)}`;
  const messages = new WireTurns<"user" | "assistant", ConverseBlock>();
  const user = (message: UserMessage): BlocksForm => wireRun(contentBlocks(message.content, target));
  const assistant = (message: AssistantMessage): BlocksForm => wireRun(assistantBlocks(message, ids));
  const tool = (message: ToolMessage): BlocksForm => wireRun([resultBlock(message, ids, target)]);
  for (const message of prepareHistory(request.messages, memo)) {
    switch (message.role) {
      case "user":
        messages.push("user", memo.form(message, facts, user));
        break;
      case "assistant":
        for (const call of callsOf(message)) usedTools.add(wireName(call.function.name));
        messages.push("assistant", memo.form(message, `${facts} ${ids.ofCalls(message)}`, assistant));
        break;
      case "tool":
        messages.push("user", memo.form(message, `${facts} ${ids.of(message.tool_call_id)}`, tool));
        break;
    }
  }
  return { messages: messages.write("content"), usedTools };
}

function assistantBlocks(message: AssistantMessage, ids: CallIds): readonly ConverseBlock[] {
  const calls = callsOf(message).map(
    (call): ConverseBlock => ({
      toolUse: {
        toolUseId: ids.of(call.id),
        name: wireName(call.function.name),
        input: argumentObject(call.function.arguments),
      },
    }),
  );
  const text = message.content.trim() === "" ? [] : [{ text: message.content }];
  const blocks = [...text, ...calls];
  return blocks.length === 0 ? [{ text: silence }] : blocks;
}

function resultBlock(message: ToolMessage, ids: CallIds, target: Target): ConverseBlock {
  const content = contentBlocks(message.content, target);
  return { toolResult: { toolUseId: ids.of(message.tool_call_id), content, status: "success" } };
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
