import { defined } from "#foundation/defined";
import { type CallForm, explainsTools } from "./call-form.ts";
import type { ChatMessage, ChatRequest, ChatTool } from "./chat-request.ts";

export interface PromptFacts {
  readonly template: string;
  readonly form: CallForm;
  readonly bos: string;
  readonly eos: string;
  /** Texts that are single control tokens for this model. */
  readonly controlTexts: readonly string[];
  render(values: Readonly<Record<string, unknown>>): string;
}

/** The whole conversation as the one text that this model was trained to read, up to where its answer begins. */
export function promptText(request: Pick<ChatRequest, "messages" | "tools">, facts: PromptFacts): string {
  const teaches = explainsTools(facts.template);
  const messages = request.messages.map((message) => harmless(message, facts.controlTexts));
  const written = teaches ? messages.map(withParsedArguments) : inPlainRoles(messages, request.tools, facts.form);
  const values = {
    messages: written,
    tools: teaches && request.tools.length > 0 ? request.tools : undefined,
    add_generation_prompt: true,
    bos_token: facts.bos,
    eos_token: facts.eos,
  };
  try {
    return facts.render(values);
  } catch {
    // Some templates take no system message, or only questions and answers in turn.
    return facts.render({ ...values, messages: alternating(written) });
  }
}

type Written = Readonly<Record<string, unknown>> & { readonly role: string; readonly content: string };

/** A text that spells a control token would end or forge a message; a joint inside takes that power from it. */
function harmless(message: ChatMessage, controlTexts: readonly string[]): ChatMessage {
  const found = controlTexts.filter((text) => message.content.includes(text));
  if (found.length === 0) return message;
  const content = found.reduce((text, one) => text.replaceAll(one, `${one[0]}\u2060${one.slice(1)}`), message.content);
  return { ...message, content };
}

/** Templates print arguments as JSON; given as text they would come out in quotation marks. */
function withParsedArguments(message: ChatMessage): Written {
  if (message.role !== "assistant" || message.toolCalls.length === 0) return plain(message);
  const calls = message.toolCalls.map(({ id, name, args }) => ({
    id,
    type: "function",
    function: { name, arguments: parsed(args) },
  }));
  return { role: message.role, content: message.content, tool_calls: calls };
}

function plain(message: ChatMessage): Written {
  const { role, content, toolCallId, name } = message;
  return {
    role,
    content,
    ...defined({ tool_call_id: toolCallId, name }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** For a template that knows only system, user and assistant: tools are explained, calls and results are text. */
function inPlainRoles(
  messages: readonly ChatMessage[],
  tools: readonly ChatTool[],
  form: CallForm,
): readonly Written[] {
  const written = messages.map((message): Written => {
    if (message.role === "tool")
      return { role: "user", content: `<tool_response>\n${message.content}\n</tool_response>` };
    if (message.role !== "assistant" || message.toolCalls.length === 0) return plain(message);
    const calls = message.toolCalls.map(
      ({ name, args }) => form.open + name + form.beforeArguments + args + form.afterArguments,
    );
    return { role: "assistant", content: [message.content, ...calls].filter((text) => text !== "").join("\n") };
  });
  if (tools.length === 0) return written;
  const [first, ...rest] = written;
  const explained = explain(tools, form);
  if (first?.role === "system") return [{ role: "system", content: `${first.content}\n\n${explained}` }, ...rest];
  return [{ role: "system", content: explained }, ...written];
}

function explain(tools: readonly ChatTool[], form: CallForm): string {
  const lines = tools.map((tool) => JSON.stringify(tool.function));
  const example = `${form.open}<name>${form.beforeArguments}<arguments as JSON>${form.afterArguments}`;
  return `You can call these functions:\n<tools>\n${lines.join("\n")}\n</tools>\nTo call one, answer with nothing but:\n${example}`;
}

/** System words go into the first question, and neighbours of the same role become one message. */
function alternating(messages: readonly Written[]): readonly Written[] {
  const joined: Written[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = joined.at(-1);
    if (last?.role === role) joined[joined.length - 1] = { role, content: `${last.content}\n\n${message.content}` };
    else joined.push({ role, content: message.content });
  }
  return joined;
}
