import path from "node:path";
import { pathToFileURL } from "node:url";

/** The part of node-llama-cpp that is used here. It is installed on demand, so its own types are not at hand. */
export type Token = number & { readonly __token?: never };

export interface Sampling {
  readonly temperature: number;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly minP?: number | undefined;
  readonly seed?: number | undefined;
  /** `frequencyPenalty`, `presencePenalty`, and `punishTokens` as a function that the engine calls. */
  readonly repeatPenalty?: Readonly<Record<string, unknown>> | undefined;
}

export interface EvaluateOptions extends Sampling {
  readonly grammarEvaluationState?: unknown;
}

export interface Sequence {
  readonly contextTokens: readonly Token[];
  readonly nextTokenIndex: number;
  readonly tokenMeter: { readonly usedInputTokens: number };
  eraseContextTokenRanges(ranges: readonly { readonly start: number; readonly end: number }[]): Promise<void>;
  evaluateWithoutGeneratingNewTokens(tokens: readonly Token[]): Promise<void>;
  evaluateWithMetadata(
    tokens: readonly Token[],
    metadata: { readonly confidence?: boolean },
    options: EvaluateOptions,
  ): AsyncGenerator<{ readonly token: Token; readonly confidence?: number }, void>;
}

export interface Context extends AsyncDisposable {
  readonly contextSize: number;
  getSequence(): Sequence;
}

export interface Model extends AsyncDisposable {
  readonly trainContextSize: number;
  readonly tokens: {
    readonly bos: Token | null;
    readonly bosString: string | null;
    readonly eosString: string | null;
    readonly shouldPrependBosToken: boolean;
  };
  tokenize(text: string, specialTokens: boolean): Token[];
  detokenize(tokens: readonly Token[], specialTokens: boolean, lastTokens?: readonly Token[]): string;
  createContext(options: {
    readonly contextSize: number;
    readonly sequences: number;
    readonly batchSize: number;
    readonly threads: number;
  }): Promise<Context>;
}

export interface Llama extends AsyncDisposable {
  maxThreads: number;
  readonly cpuMathCores: number;
  loadModel(options: { readonly modelPath: string }): Promise<Model>;
  createGrammar(options: { readonly grammar: string }): Promise<unknown>;
}

interface LlamaModule {
  getLlama(options: Readonly<Record<string, unknown>>): Promise<Llama>;
  readonly LlamaGrammarEvaluationState: new (options: { readonly model: Model; readonly grammar: unknown }) => unknown;
}

interface JinjaModule {
  readonly Template: new (source: string) => { render(values: Readonly<Record<string, unknown>>): string };
}

export interface Engine extends AsyncDisposable {
  readonly llama: Llama;
  grammarState(model: Model, grammar: unknown): unknown;
  template(source: string): (values: Readonly<Record<string, unknown>>) => string;
}

/** Loads the engine from the folder it was installed into. */
export async function openEngine(folder: string): Promise<Engine> {
  const load = (file: string): Promise<unknown> =>
    import(pathToFileURL(path.join(folder, "node_modules", ...file.split("/"))).href);
  const engine = (await load("node-llama-cpp/dist/index.js")) as LlamaModule;
  const jinja = (await load("@huggingface/jinja/dist/index.js")) as JinjaModule;
  const llama = await engine.getLlama({
    // Only the binaries that were installed: nothing is built and nothing is fetched here.
    build: "never",
    skipDownload: true,
    gpu: process.platform === "darwin" ? "auto" : false,
    progressLogs: false,
    logLevel: "error",
  });
  return {
    llama,
    grammarState: (model, grammar) => new engine.LlamaGrammarEvaluationState({ model, grammar }),
    template(source) {
      const template = new jinja.Template(source);
      return (values) => template.render(values);
    },
    async [Symbol.asyncDispose]() {
      await llama[Symbol.asyncDispose]();
    },
  };
}
