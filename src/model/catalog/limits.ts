/**
 * Which number wins when several sources name a context window. Data flow, no code paths: every
 * source that knows something makes a claim, and the claims are asked in this order.
 */
export const windowSources = [
  /** `model.context_length`. */
  "config",
  /** `custom_providers[].models.<id>.context_length` of the same address. */
  "custom-model",
  /** Learned from an error and confirmed by a later success. */
  "learned",
  "bedrock-table",
  /** The model list of an unknown endpoint. */
  "endpoint",
  /** What a local server was started with. */
  "local-server",
  /** The provider's own statement: its catalogue, or its documented fixed window. */
  "provider",
  "models.dev",
  "openrouter",
  /** The table that ships with the program. */
  "snapshot",
  /** A guess from the name. */
  "family",
  "default",
] as const;

type WindowSource = (typeof windowSources)[number];

/** The sources as a person would name them. */
export const windowWords: Readonly<Record<WindowSource, string>> = {
  config: "model.context_length",
  "custom-model": "the settings of the endpoint",
  learned: "an answer of the server",
  "bedrock-table": "the table of Bedrock models",
  endpoint: "the model list of the endpoint",
  "local-server": "the local server",
  provider: "the provider",
  "models.dev": "models.dev",
  openrouter: "OpenRouter",
  snapshot: "the built-in table",
  family: "the name of the model",
  default: "an assumption",
};
export type WindowClaims = { readonly [source in Exclude<WindowSource, "default">]?: number | undefined };

export interface ChosenWindow {
  readonly tokens: number;
  readonly source: WindowSource;
}

/** For a model nobody knows anything about; corrected by what the server reports. */
const defaultWindow = 128_000;

export function chooseWindow(claims: WindowClaims): ChosenWindow {
  for (const source of windowSources) {
    const tokens = source === "default" ? defaultWindow : claims[source];
    if (tokens !== undefined) return { tokens, source };
  }
  return { tokens: defaultWindow, source: "default" };
}

/** Sizes to try after an overflow that named no limit. */
const steps = [256_000, 128_000, 64_000, 32_000, 16_000, 8_000];

export type WindowAfterOverflow =
  /** The message named a smaller window: keep it, and remember it once a request went through. */
  | { readonly kind: "stated"; readonly tokens: number }
  /** A guess for this session only. */
  | { readonly kind: "stepped"; readonly tokens: number }
  | { readonly kind: "unchanged"; readonly tokens: number };

/** The window to work with after the provider said the request does not fit. */
export function windowAfterOverflow(
  current: number,
  failure: { readonly contextLimit?: number; readonly message: string },
): WindowAfterOverflow {
  const { contextLimit } = failure;
  if (contextLimit !== undefined && contextLimit < current) return { kind: "stated", tokens: contextLimit };
  // Naming the known window again, or only by how much it was exceeded, says nothing new about the window.
  if (contextLimit !== undefined || statesExcess(failure.message)) return { kind: "unchanged", tokens: current };
  const lower = steps.find((step) => step < current);
  return lower === undefined ? { kind: "unchanged", tokens: current } : { kind: "stepped", tokens: lower };
}

function statesExcess(message: string): boolean {
  return /(?:exceed(?:ed|s)?|over|too (?:long|large))[^.\n]{0,40} by [\d,]+|[\d,]+ tokens? (?:too many|over)/i.test(
    message,
  );
}
