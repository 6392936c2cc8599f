import type { Config, LoadedConfig } from "#config";
import { defined } from "#foundation/defined";
import type { ReasoningEffort } from "#model";
import type { RequestSettings } from "./turn/request/request.ts";

const efforts: readonly ReasoningEffort[] = ["none", "minimal", "low", "medium", "high", "xhigh"];

type Personality = Config["personalities"][string];

/** What a person may change while a session runs. Takes effect with the next request. */
export class LiveSettings {
  readonly #config: Config;
  #reasoning: ReasoningEffort | undefined;
  #personality = "";
  #isFast: boolean;
  /** What is wrong with the settings it began with. */
  readonly problem: string | undefined;

  constructor({ config, provenance }: Pick<LoadedConfig, "config" | "provenance">) {
    this.#config = config;
    // The default is the manner of the screen; only a personality that somebody chose speaks to the model.
    this.problem =
      provenance("display.personality").kind === "default"
        ? undefined
        : this.setPersonality(config.display.personality);
    this.#reasoning = readEffort(config.agent.reasoning_effort);
    this.#isFast = config.agent.service_tier === "fast";
  }

  get reasoning(): string {
    return this.#reasoning ?? "";
  }

  get personality(): string {
    return this.#personality;
  }

  get isFast(): boolean {
    return this.#isFast;
  }

  /** What is wrong with the name, if anything. */
  setReasoning(name: string): string | undefined {
    const effort = readEffort(name);
    if (effort === undefined) return `${JSON.stringify(name)} is no level. Choose one of: ${efforts.join(", ")}`;
    this.#reasoning = effort;
    return undefined;
  }

  setFast(isOn: boolean): void {
    this.#isFast = isOn;
  }

  setPersonality(name: string): string | undefined {
    if (name !== "" && name !== "none" && this.#all()[name] === undefined)
      return `There is no personality ${JSON.stringify(name)}. Choose one of: ${Object.keys(this.#all()).join(", ")}`;
    this.#personality = name === "none" ? "" : name;
    return undefined;
  }

  /** Words for the system prompt that are never stored. */
  get personalityText(): string {
    const chosen = this.#all()[this.#personality];
    return chosen === undefined ? "" : personalityText(chosen);
  }

  /** Read for every request. */
  get request(): RequestSettings {
    const { model, prompt_caching } = this.#config;
    return {
      cacheTtl: prompt_caching.cache_ttl === "1h" ? "1h" : "5m",
      ...defined({ reasoning: this.#reasoning, maxOutputTokens: model.max_tokens }),
      ...(this.#isFast ? { serviceTier: "fast" } : {}),
    };
  }

  #all(): Readonly<Record<string, Personality>> {
    return { ...this.#config.agent.personalities, ...this.#config.personalities };
  }
}

/** The level of that name; undefined for an empty or unknown one. */
export function readEffort(name: string): ReasoningEffort | undefined {
  return efforts.find((effort) => effort === name.trim().toLowerCase());
}

function personalityText(personality: Personality): string {
  if (typeof personality === "string") return personality;
  const { system_prompt, tone, style } = personality;
  return [system_prompt, tone === "" ? "" : `Tone: ${tone}`, style === "" ? "" : `Style: ${style}`]
    .filter((line) => line !== "")
    .join("\n");
}
