import { freemem } from "node:os";
import type { LocalModelFile } from "../files/library.ts";
import { type CallForm, callFormOf } from "./call-form.ts";
import type { ChatRequest } from "./chat-request.ts";
import { callGrammar, valueGrammar } from "./grammar.ts";
import type { Engine, Model } from "./llama.ts";
import { type PromptFacts, promptText } from "./prompt.ts";
import { Slot } from "./slot.ts";

/** Chat in the simplest of common forms, for a file that brings no template. */
const plainTemplate =
  "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

/** A model in memory, with room for a few conversations. */
export interface LoadedModel extends AsyncDisposable {
  readonly id: string;
  readonly model: Model;
  readonly contextSize: number;
  readonly form: CallForm;
  readonly slots: readonly Slot[];
  prompt(request: ChatRequest): string;
  callGrammar(request: ChatRequest): Promise<unknown>;
  schemaGrammar(request: ChatRequest): Promise<unknown>;
}

export interface LoadOptions {
  readonly threads: number;
  /** The largest window to make room for; what the model was trained for when absent. */
  readonly maxContext?: number | undefined;
}

export async function loadModel(file: LocalModelFile, engine: Engine, options: LoadOptions): Promise<LoadedModel> {
  const { facts } = file;
  const room = roomFor(facts, options.maxContext, freemem());
  const model = await engine.llama.loadModel({ modelPath: file.path });
  const context = await model.createContext({
    contextSize: room.contextSize,
    sequences: room.slots,
    batchSize: 512,
    threads: options.threads,
  });
  const template = facts.chatTemplate ?? plainTemplate;
  const form = callFormOf(template);
  const { tokens } = model;
  const bos = tokens.bosString ?? "";
  const prompt: PromptFacts = {
    template,
    form,
    bos,
    eos: tokens.eosString ?? "",
    controlTexts: controlTexts(template, [bos, tokens.eosString ?? ""]),
    render: engine.template(template),
  };
  const grammars = new Map<string, Promise<unknown>>();
  const state = async (text: string): Promise<unknown> => {
    let grammar = grammars.get(text);
    if (grammar === undefined) {
      grammar = engine.llama.createGrammar({ grammar: text });
      if (grammars.size >= 32) grammars.clear();
      grammars.set(text, grammar);
    }
    return engine.grammarState(model, await grammar);
  };
  return {
    id: file.id,
    model,
    contextSize: Math.min(context.contextSize, room.contextSize),
    form,
    slots: Array.from({ length: room.slots }, () => new Slot(context.getSequence(), model)),
    prompt(request) {
      const text = promptText(request, prompt);
      return tokens.shouldPrependBosToken && bos !== "" && !text.startsWith(bos) ? bos + text : text;
    },
    callGrammar({ tools, choice }) {
      const only = choice.kind === "call" ? choice.name : undefined;
      const offered = tools.map((tool) => tool.function).filter(({ name }) => only === undefined || name === only);
      return state(callGrammar(offered, form));
    },
    schemaGrammar: ({ schema }) => state(valueGrammar(schema ?? {})),
    async [Symbol.asyncDispose]() {
      await context[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

/** Two conversations where memory allows: one for a session, one for what happens beside it. */
export function roomFor(
  facts: { readonly contextLength: number; readonly bytesPerToken: number; readonly sizeBytes: number },
  maxContext: number | undefined,
  freeBytes: number,
): { readonly contextSize: number; readonly slots: number } {
  const wanted = Math.min(facts.contextLength, maxContext ?? facts.contextLength);
  const left = Math.max(0, freeBytes - facts.sizeBytes) * 0.8;
  const fitting = (slots: number): number => Math.floor(left / Math.max(1, facts.bytesPerToken) / slots / 256) * 256;
  if (fitting(2) >= wanted) return { contextSize: wanted, slots: 2 };
  return { contextSize: Math.max(Math.min(2048, wanted), Math.min(wanted, fitting(1))), slots: 1 };
}

/** What stands in the template between angle bars is a control token; such texts are not let through from messages. */
function controlTexts(template: string, own: readonly string[]): readonly string[] {
  const found = template.match(/<\|[\w-]+\|>|<\/?(?:start|end)_of_turn>|\[\/?INST\]/g) ?? [];
  return [...new Set([...found, ...own])].filter((text) => text.length > 2);
}
