import type { NamedEndpoint } from "./custom.ts";
import { findNamed } from "./custom.ts";
import type { ProviderRegistry } from "./registry.ts";

/** What a person typed after `/model` or `--model`, taken apart. */
export interface ModelArgument {
  /** As typed: an id, an alias or `custom:<name>`. */
  readonly provider?: string;
  readonly model?: string;
}

export interface KnownNames {
  readonly registry: ProviderRegistry;
  readonly named: readonly NamedEndpoint[];
}

/**
 * `provider:model` when the left part is a known name, `custom:name:model`, `custom` or `demo` alone, or
 * `--provider <id>` anywhere. Any other colon belongs to the model (`:free`, `qwen3:27b`).
 */
export function parseModelArgument(text: string, known: KnownNames): ModelArgument {
  const { provider, rest } = takeProviderFlag(text.trim());
  if (provider !== undefined) return { provider, ...(rest === "" ? {} : { model: rest }) };
  if (rest === "") return {};
  if (rest.toLowerCase() === "custom") return { provider: "custom" };
  if (/^demo(?::|$)/i.test(rest)) return { provider: "demo" };
  const colon = rest.indexOf(":");
  if (colon <= 0) return { model: rest };
  const left = rest.slice(0, colon).trim();
  const right = rest.slice(colon + 1).trim();
  if (left.toLowerCase() === "custom") return parseCustom(right, known.named);
  const isKnown = known.registry.find(left) !== undefined || findNamed(left, known.named, known.registry) !== undefined;
  // `ollama:llama3` names a server, but `qwen3:27b` and `llama3:8b` are tags of a model.
  if (!isKnown || right === "") return { model: rest };
  return { provider: left, model: right };
}

function parseCustom(right: string, named: readonly NamedEndpoint[]): ModelArgument {
  const colon = right.indexOf(":");
  const name = colon < 0 ? right : right.slice(0, colon);
  const slug = `custom:${name.trim().toLowerCase().replace(/\s+/g, "-")}`;
  if (named.some((one) => one.slug === slug)) {
    const model = colon < 0 ? "" : right.slice(colon + 1).trim();
    return { provider: slug, ...(model === "" ? {} : { model }) };
  }
  // No endpoint of that name: two parts are still read as name and model, one part as a model of `custom`.
  if (colon < 0) return { provider: "custom", ...(right === "" ? {} : { model: right }) };
  return { provider: slug, model: right.slice(colon + 1).trim() };
}

const providerFlag = /(?:^|\s)--provider(?:=|\s+)("[^"]*"|\S+)/;

function takeProviderFlag(text: string): { readonly provider?: string; readonly rest: string } {
  const match = providerFlag.exec(text);
  const provider = match?.[1]?.replace(/^"|"$/g, "").trim();
  if (match === null || provider === undefined || provider === "") return { rest: text };
  const rest = `${text.slice(0, match.index)} ${text.slice(match.index + match[0].length)}`.trim();
  return { provider, rest };
}
