import { randomUUID } from "node:crypto";
import { type Message, type ToolDefinition, textOf } from "#conversation";
import { UserError } from "#foundation/errors";
import type { ModelTokenizer } from "../tokens/tokenizer.ts";

interface PromptRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
}

/** Turns a conversation into the text a model continues, with the model's own template. */
export type RenderPrompt = (request: PromptRequest) => string;

/**
 * `rawTextOf` gives back, word for word, what the model had written for a message. Some templates take old thoughts away,
 * which would break the beginning of the next prompt: unless `dropsThoughts` is wanted they are hidden from the template.
 */
export async function promptRenderer(
  tokenizer: ModelTokenizer,
  options: { readonly dropsThoughts: boolean; rawTextOf(message: Message): string | undefined },
): Promise<RenderPrompt> {
  const { chatTemplate, specialTokens } = tokenizer;
  if (chatTemplate === undefined)
    throw new UserError("The tokenizer has no chat template.", {
      hint: "Put chat_template.jinja beside tokenizer.json, or name another tokenizer.",
      exitCode: 2,
    });
  const { Template } = await import("@huggingface/jinja");
  const template = new Template(chatTemplate);
  const [opening, closing] = [`T${randomUUID()}`, `E${randomUUID()}`];
  const hide = (text: string): string =>
    options.dropsThoughts ? text : text.replaceAll("<think>", opening).replaceAll("</think>", closing);
  const show = (text: string): string => text.replaceAll(opening, "<think>").replaceAll(closing, "</think>");
  return ({ system, messages, tools }) => {
    const turns = messages.map((message) => {
      if (message.role === "assistant")
        return { role: "assistant", content: hide(options.rawTextOf(message) ?? textOf(message.content)) };
      return { role: message.role, content: textOf(message.content) };
    });
    const rendered = template.render({
      ...specialTokens,
      messages: system === "" ? turns : [{ role: "system", content: system }, ...turns],
      ...(tools.length === 0 ? {} : { tools: tools.map((definition) => ({ type: "function", function: definition })) }),
      add_generation_prompt: turns.at(-1)?.role !== "assistant",
    });
    return show(rendered);
  };
}
