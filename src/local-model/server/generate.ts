import { type CallForm, readCall } from "./call-form.ts";
import type { ChatRequest } from "./chat-request.ts";
import type { EvaluateOptions, Model, Token } from "./llama.ts";
import type { PromptPlan, Slot } from "./slot.ts";

export interface WrittenCall {
  readonly name: string;
  readonly args: string;
}

export interface Generated {
  readonly finish: "stop" | "length" | "tool_calls";
  readonly call?: WrittenCall | undefined;
  readonly promptTokens: readonly Token[];
  /** How many tokens of the prompt were in memory already. */
  readonly cachedTokens: number;
  readonly tokens: readonly Token[];
  /** Of each token of the answer, where they were asked for; those that were put there by us have 0. */
  readonly logprobs: readonly number[];
}

export interface GenerationRequest {
  readonly chat: ChatRequest;
  readonly promptText: string;
  readonly form: CallForm;
  readonly contextSize: number;
  /** Limits what is written in a call, from the quotation mark that begins the name. */
  callGrammar(): Promise<unknown>;
  /** Limits the whole answer. */
  schemaGrammar(): Promise<unknown>;
  onText(text: string): void;
}

/** The prompt does not fit the window. */
export class WindowExceeded extends Error {
  readonly tokens: number;
  readonly window: number;

  constructor(tokens: number, window: number) {
    super(
      `This model's maximum context length is ${window} tokens, but the messages have ${tokens} tokens. Please shorten them.`,
    );
    this.tokens = tokens;
    this.window = window;
  }
}

/** So much room must be left for an answer, or the prompt counts as too long. */
const leastAnswer = 16;

/** Reads the prompt and writes the answer, in one slot. Ends early when the signal says so. */
export async function generate(
  slot: Slot,
  model: Model,
  request: GenerationRequest & { readonly signal: AbortSignal },
): Promise<Generated> {
  const plan = slot.plan(request.promptText);
  const room = request.contextSize - plan.tokens.length;
  if (room < leastAnswer) throw new WindowExceeded(plan.tokens.length, request.contextSize);
  const answer = new Answer(slot, model, {
    request,
    plan,
    maxTokens: Math.min(request.chat.maxTokens ?? room, room - 1),
  });
  try {
    return await answer.write();
  } finally {
    answer.remember();
  }
}

interface Piece {
  readonly token: Token;
  /** Length of the text up to and including this token; a character may need several tokens. */
  readonly end: number;
}

interface AnswerDeps {
  readonly request: GenerationRequest & { readonly signal: AbortSignal };
  readonly plan: PromptPlan;
  readonly maxTokens: number;
}

class Answer {
  readonly #slot: Slot;
  readonly #model: Model;
  readonly #request: AnswerDeps["request"];
  readonly #plan: PromptPlan;
  readonly #maxTokens: number;
  readonly #logprobs: number[] = [];
  #pieces: Piece[] = [];
  #text = "";
  #shown = 0;

  constructor(slot: Slot, model: Model, { request, plan, maxTokens }: AnswerDeps) {
    this.#slot = slot;
    this.#model = model;
    this.#request = request;
    this.#plan = plan;
    this.#maxTokens = maxTokens;
  }

  async write(): Promise<Generated> {
    const { chat, form } = this.#request;
    const cachedTokens = await this.#readPrompt();
    const done = (finish: Generated["finish"], call?: WrittenCall): Generated => ({
      finish,
      call,
      promptTokens: this.#plan.tokens,
      cachedTokens,
      tokens: this.#pieces.map(({ token }) => token),
      logprobs: this.#logprobs,
    });
    const last = this.#plan.tokens.slice(-1);
    if (chat.choice.kind === "call") return this.#finishCall(await this.#writeCall(""), done);
    const grammarEvaluationState = chat.schema === undefined ? undefined : await this.#request.schemaGrammar();
    const watches = chat.tools.length > 0 && chat.choice.kind === "auto" && chat.schema === undefined;
    for await (const _ of this.#tokens(last, { grammarEvaluationState })) {
      const stop = this.#firstStop();
      if (stop >= 0) {
        this.#show(stop);
        return done("stop");
      }
      const start = watches ? this.#text.indexOf(form.trigger) : -1;
      if (start >= 0) {
        this.#show(start);
        return this.#finishCall(await this.#writeCall(await this.#cutAt(start)), done);
      }
      this.#show(this.#text.length - heldBack(this.#text, [...chat.stop, ...(watches ? [form.trigger] : [])]));
    }
    this.#show(this.#text.length);
    return done(this.#isFull ? "length" : "stop");
  }

  /** What is in the memory of the engine now, for the next turn. */
  remember(): void {
    const written = { text: this.#text, tokens: this.#pieces.map(({ token }) => token) };
    this.#slot.remember([...this.#plan.segments, written]);
  }

  get #isFull(): boolean {
    return this.#pieces.length >= this.#maxTokens;
  }

  /** In small steps, so that an abort is heard soon on slow machines. The last token begins the answer. */
  async #readPrompt(): Promise<number> {
    const { tokens } = this.#plan;
    const { signal } = this.#request;
    const kept = await this.#slot.keepPrefix(tokens);
    let step = 32;
    for (let at = kept; at < tokens.length - 1; ) {
      signal.throwIfAborted();
      const startMs = performance.now();
      const chunk = tokens.slice(at, Math.min(at + step, tokens.length - 1));
      await this.#slot.sequence.evaluateWithoutGeneratingNewTokens(chunk);
      at += chunk.length;
      step = nextStep(step, performance.now() - startMs);
    }
    return kept;
  }

  /** Tokens as they are written, taken into the text; ends at the model's end, at the limit or by an abort. */
  async *#tokens(
    feed: readonly Token[],
    more: Pick<EvaluateOptions, "grammarEvaluationState">,
  ): AsyncGenerator<Token, void> {
    const { signal, chat } = this.#request;
    const { frequencyPenalty, presencePenalty, ...sampling } = chat.sampling;
    const punishTokens = (): Token[] => this.#pieces.slice(-64).map(({ token }) => token);
    const isPunished = frequencyPenalty !== 0 || presencePenalty !== 0;
    const options: EvaluateOptions = {
      ...sampling,
      ...more,
      repeatPenalty: isPunished ? { frequencyPenalty, presencePenalty, punishTokens } : undefined,
    };
    signal.throwIfAborted();
    if (this.#isFull) return;
    const metadata = chat.wantsLogprobs ? { confidence: true } : {};
    for await (const { token, confidence } of this.#slot.sequence.evaluateWithMetadata(feed, metadata, options)) {
      signal.throwIfAborted();
      this.#take(token, confidence === undefined ? undefined : Math.log(confidence));
      yield token;
      if (this.#isFull) return;
    }
  }

  #take(token: Token, logprob: number | undefined): void {
    if (logprob !== undefined) this.#logprobs.push(logprob);
    let open = this.#pieces.length;
    while (open > 0 && this.#pieces[open - 1]?.end === this.#text.length && this.#isOpen(open - 1)) open -= 1;
    const tail = this.#pieces.slice(open).map((piece) => piece.token);
    const before = this.#pieces.slice(Math.max(0, open - 8), open).map((piece) => piece.token);
    const text = this.#model.detokenize([...tail, token], true, before);
    if (!text.endsWith("\uFFFD") || tail.length >= 4) this.#text += text;
    this.#pieces.push({ token, end: this.#text.length });
  }

  /** Whether the bytes of this piece are still waiting for others to become a character. */
  #isOpen(index: number): boolean {
    const before = index === 0 ? 0 : (this.#pieces[index - 1]?.end ?? 0);
    return this.#pieces[index]?.end === before;
  }

  #show(end: number): void {
    if (end <= this.#shown) return;
    this.#request.onText(this.#text.slice(this.#shown, end));
    this.#shown = end;
  }

  #firstStop(): number {
    const found = this.#request.chat.stop.map((text) => this.#text.indexOf(text)).filter((at) => at >= 0);
    return found.length === 0 ? -1 : Math.min(...found);
  }

  /** Takes back what was written from there on; the text of a token that reaches over the cut is returned. */
  async #cutAt(start: number): Promise<string> {
    const kept = this.#pieces.filter(({ end }) => end <= start);
    const end = kept.at(-1)?.end ?? 0;
    const carried = this.#text.slice(end, start);
    this.#pieces = kept;
    this.#logprobs.length = Math.min(this.#logprobs.length, kept.length);
    this.#text = this.#text.slice(0, end);
    await this.#slot.truncate(this.#plan.tokens.length + kept.length);
    return carried;
  }

  /** The beginning of a call is put there, the rest is written under the grammar. The text after the beginning, whole or cut short. */
  async #writeCall(carried: string): Promise<string> {
    const { form, chat } = this.#request;
    const opening = carried + form.open;
    const forced = this.#model.tokenize(opening, true);
    const held = this.#slot.sequence.nextTokenIndex;
    const pending = [...this.#plan.tokens, ...this.#pieces.map(({ token }) => token)].slice(held);
    for (const token of forced) this.#pieces.push({ token, end: this.#text.length });
    if (chat.wantsLogprobs) for (const _ of forced) this.#logprobs.push(0);
    this.#text += opening;
    const lastForced = this.#pieces.at(-1);
    if (lastForced !== undefined) this.#pieces[this.#pieces.length - 1] = { ...lastForced, end: this.#text.length };
    const start = this.#text.length;
    const grammarEvaluationState = await this.#request.callGrammar();
    for await (const _ of this.#tokens([...pending, ...forced], { grammarEvaluationState }));
    return this.#text.slice(start);
  }

  #finishCall(text: string, done: (finish: Generated["finish"], call?: WrittenCall) => Generated): Generated {
    const call = readCall(text, this.#request.form);
    return call === undefined ? done("length") : done("tool_calls", call);
  }
}

/** About a tenth of a second of reading at a time. */
function nextStep(step: number, passedMs: number): number {
  if (passedMs > 120) return Math.max(16, Math.floor(step / 2));
  return passedMs < 50 ? Math.min(512, step * 2) : step;
}

/** How many characters at the end may be the beginning of one of these texts and are not shown yet. */
export function heldBack(text: string, watched: readonly string[]): number {
  let most = 0;
  for (const one of watched) {
    for (let length = Math.min(one.length - 1, text.length); length > most; length -= 1) {
      if (text.endsWith(one.slice(0, length))) most = length;
    }
  }
  return most;
}
