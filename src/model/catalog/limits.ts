/**
 * Which number wins when several sources name a context window. Data flow, no code paths: every
 * source that knows something makes a claim, and the claims are asked in this order.
 */
export const windowSources = [
  /** `model.context_length`. */
  "config",
  /** Learned from an error and confirmed by a later success. */
  "learned",
  "bedrock-table",
  /** The model list of the endpoint. */
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
  learned: "an answer of the server",
  "bedrock-table": "the table of Bedrock models",
  endpoint: "the model list of the endpoint",
  "local-server": "the local server",
  provider: "the provider",
  "models.dev": "models.dev",
  openrouter: "OpenRouter",
  snapshot: "the built-in table",
  family: "the name of the model",
  default: "a guess (model.context_length sets it)",
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
