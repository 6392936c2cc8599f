import { createHash } from "node:crypto";
import { defined } from "#foundation/defined";

/** One call the model asked for. `arguments` stays the JSON text the model wrote until a tool parses it. */
export interface ToolCall {
  readonly id: string;
  /** Same value as `id`; kept because existing databases and the Responses wire carry it. */
  readonly call_id?: string;
  /** Item id of the Responses wire; always starts with `fc_`. */
  readonly response_item_id?: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
  /** Opaque to us (for example a Gemini thought signature); replayed as it came. */
  readonly extra_content?: unknown;
}

/**
 * The id of a call that came without one. Derived from what the call says, because a random id
 * would change the request prefix and miss the provider's cache.
 */
export function deriveCallId(name: string, args: string, index: number): string {
  const digest = createHash("sha256").update(`${name}:${args}:${index}`).digest("hex");
  return `call_${digest.slice(0, 12)}`;
}

/** Stored ids of the form `X|Y` carry both ids; one that starts `fc_` is an item id only. */
export function splitStoredCallId(stored: string): { readonly callId?: string; readonly itemId?: string } {
  const bar = stored.indexOf("|");
  if (bar >= 0) {
    const callId = stored.slice(0, bar);
    const itemId = stored.slice(bar + 1);
    return { ...(callId === "" ? {} : { callId }), ...(itemId === "" ? {} : { itemId }) };
  }
  return stored.startsWith("fc_") ? { itemId: stored } : { callId: stored };
}

export function newToolCall(call: { id: string; name: string; arguments: string; extraContent?: unknown }): ToolCall {
  return {
    id: call.id,
    call_id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
    ...defined({ extra_content: call.extraContent }),
  };
}
