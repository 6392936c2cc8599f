import { fragmentsOf } from "../fragments.ts";
import type { CallPart, MessageContent, ReasoningField, ReasoningPart, ReplyUsage } from "../reply.ts";
import { tokensIn } from "../tokens.ts";
import type { WireObject } from "../wire-object.ts";
import type { PromptUsage, RenderContext } from "./wire-reply.ts";

/** A part with everything decided that the protocol needs: ids, signatures, pieces. */
export type SettledPart = SettledText | SettledReasoning | SettledCall;

export interface SettledText {
  readonly kind: "text" | "refusal";
  readonly itemId: string;
  readonly text: string;
  readonly pieces: readonly string[];
  readonly isList: boolean;
  readonly phase?: string;
}

export interface SettledReasoning {
  readonly kind: "reasoning";
  readonly itemId: string;
  readonly text: string;
  readonly pieces: readonly string[];
  readonly field: ReasoningField;
  /** Empty when the block is unsigned. */
  readonly signature: string;
  /** The `encrypted_content`; empty when there is none. */
  readonly encrypted: string;
  /** The `data` of a redacted block; empty when it is readable. */
  readonly redacted: string;
}

export interface SettledCall {
  readonly kind: "call";
  readonly itemId: string;
  /** Empty when the wire shall carry none. */
  readonly id: string;
  readonly name: string;
  readonly argumentText: string;
  readonly pieces: readonly string[];
  readonly index: number;
  readonly style: "pieces" | "whole" | "repeated-name";
  readonly extraContent?: unknown;
}

export interface WireUsage extends PromptUsage {
  readonly output: number;
  readonly reasoning: number;
  readonly extra: WireObject;
}

/** Decides ids and signatures and remembers them, so that strict mode can check what comes back. */
export function settle(message: MessageContent, context: RenderContext): readonly SettledPart[] {
  let callIndex = 0;
  let reasoning: SettledReasoning | undefined;
  const hadReasoning = message.parts.some((part) => part.kind === "reasoning" && part.signature !== null);
  return message.parts.map((part) => {
    if (part.kind === "reasoning") {
      reasoning = settleReasoning(part, context);
      return reasoning;
    }
    const settled: SettledText | SettledCall =
      part.kind === "call"
        ? settleCall(part, { context, index: callIndex++, hadReasoning })
        : {
            kind: part.kind,
            itemId: context.ids.take("msg_"),
            text: part.text,
            pieces: fragmentsOf(part.text, part.kind === "text" ? part.fragments : undefined),
            isList: part.kind === "text" && part.shape === "list",
            ...(part.kind === "text" && part.phase !== undefined ? { phase: part.phase } : {}),
          };
    if (reasoning !== undefined) context.issued.rememberFollower(settled.itemId, reasoning);
    reasoning = undefined;
    return settled;
  });
}

/** Scripted numbers win one by one; the rest is computed. */
export function usageOf(
  message: MessageContent,
  parts: readonly SettledPart[],
  context: RenderContext,
): WireUsage | undefined {
  const scripted = message.options.usage ?? {};
  if (scripted === "none") return undefined;
  const reasoning = scripted.reasoning ?? sumTokens(parts.filter((part) => part.kind === "reasoning"));
  return {
    ...promptNumbers(scripted, context.promptUsage),
    reasoning,
    output: scripted.output ?? sumTokens(parts.filter((part) => part.kind !== "reasoning")) + reasoning,
    extra: scripted.extra ?? {},
  };
}

function promptNumbers(scripted: ReplyUsage, computed: PromptUsage): PromptUsage {
  return {
    input: scripted.input ?? computed.input,
    cacheRead: scripted.cacheRead ?? computed.cacheRead,
    cacheWrite: scripted.cacheWrite ?? computed.cacheWrite,
    cacheWrite1h: scripted.cacheWrite1h ?? (scripted.cacheWrite === undefined ? computed.cacheWrite1h : 0),
  };
}

function settleReasoning(part: ReasoningPart, context: RenderContext): SettledReasoning {
  const { issued, dialect } = context;
  const encrypted = typeof part.encrypted === "string" ? part.encrypted : undefined;
  return {
    kind: "reasoning",
    itemId: context.ids.take("rs_"),
    text: part.text,
    pieces: fragmentsOf(part.text, part.fragments),
    field: part.field ?? (dialect === "openrouter" ? "reasoning_details" : "reasoning_content"),
    signature: part.signature === null ? "" : issued.sign(part.text, part.signature),
    encrypted: part.encrypted === false ? "" : issued.encrypt(part.text, encrypted),
    redacted: part.redacted === true ? issued.redact(part.text) : "",
  };
}

interface CallCircumstances {
  readonly context: RenderContext;
  readonly index: number;
  readonly hadReasoning: boolean;
}

function settleCall(part: CallPart, { context, index, hadReasoning }: CallCircumstances): SettledCall {
  const { protocol } = context.request;
  const made = context.ids.take(protocol === "anthropic" ? "toolu_" : "call_");
  const id = part.id === null && protocol === "chat" ? "" : (part.id ?? made);
  const hasExtra = part.extraContent !== undefined && protocol === "chat";
  context.issued.rememberCall(id, { hadReasoning, ...(hasExtra ? { extraContent: part.extraContent } : {}) });
  return {
    kind: "call",
    itemId: context.ids.take("fc_"),
    id,
    name: part.name,
    argumentText: part.argumentText,
    pieces: fragmentsOf(part.argumentText, part.fragments ?? Math.ceil(part.argumentText.length / 12)),
    index: part.index ?? index,
    style: part.style ?? "pieces",
    ...(part.extraContent === undefined ? {} : { extraContent: part.extraContent }),
  };
}

function sumTokens(parts: readonly SettledPart[]): number {
  return parts
    .map((part) => (part.kind === "call" ? tokensIn(part.name + part.argumentText) : tokensIn(part.text)))
    .reduce((sum, tokens) => sum + tokens, 0);
}
