import type { ProviderProfile } from "../provider.ts";

/** Who makes a model, by the first word of its name; the spelling aggregators use. */
const vendors: Readonly<Record<string, string>> = {
  claude: "anthropic",
  gpt: "openai",
  o1: "openai",
  o3: "openai",
  o4: "openai",
  codex: "openai",
  gemini: "google",
  gemma: "google",
  deepseek: "deepseek",
  glm: "z-ai",
  kimi: "moonshotai",
  minimax: "minimax",
  grok: "x-ai",
  qwen: "qwen",
  mimo: "xiaomi",
  trinity: "arcee-ai",
  nemotron: "nvidia",
  llama: "meta-llama",
  step: "stepfun",
};

/** The maker of a bare model name, or undefined when its first word says nothing. */
export function vendorOf(model: string): string | undefined {
  const bare = withoutVendor(model).toLowerCase();
  const first = /^[a-z]+\d?/.exec(bare)?.[0] ?? "";
  const word = /^[a-z]+/.exec(bare)?.[0] ?? "";
  return vendors[first] ?? vendors[word];
}

/** `anthropic/claude-x` → `claude-x`; only what stands after the last slash. */
export function withoutVendor(model: string): string {
  return model.slice(model.lastIndexOf("/") + 1);
}

const deepseekThinks = /(?:^|[^a-z])(?:r1|think|reasoning|reasoner|cot)(?![a-z])/;
const deepseekKnown = new Set(["deepseek-chat", "deepseek-reasoner"]);

/** A model name as this provider writes it. */
export function normalizeModelName(model: string, profile: ProviderProfile): string {
  const name = model.trim();
  switch (profile.modelNaming) {
    case "as-given":
      return name;
    case "vendor-prefixed":
      return prefixed(name);
    case "anthropic":
      return hyphenated(withoutPrefix(name, ["anthropic", ...namesOf(profile)]));
    case "bare-dots":
      return dotted(withoutVendor(name));
    case "bare":
      return withoutPrefix(name, namesOf(profile));
    case "lower-case":
      return withoutPrefix(name, namesOf(profile)).toLowerCase();
    case "deepseek":
      return deepseekName(withoutPrefix(name, namesOf(profile)));
    case "opencode":
      return opencodeName(name, profile);
  }
}

function namesOf(profile: ProviderProfile): readonly string[] {
  return [profile.id, ...profile.aliases];
}

function prefixed(name: string): string {
  if (name.includes("/")) return name;
  const vendor = vendorOf(name);
  return vendor === undefined ? name : `${vendor}/${name}`;
}

function withoutPrefix(name: string, prefixes: readonly string[]): string {
  const slash = name.indexOf("/");
  return slash > 0 && prefixes.includes(name.slice(0, slash).toLowerCase()) ? name.slice(slash + 1) : name;
}

function hyphenated(name: string): string {
  return name.replaceAll(".", "-");
}

/** `claude-sonnet-4-6` → `claude-sonnet-4.6`; a date at the end is not a version and stays. */
function dotted(name: string): string {
  return name.replace(/^(claude-[a-z]+-\d)-(\d)(?!\d)/, "$1.$2");
}

/** Two names reach every model of the service; later versions are addressed by their own. */
function deepseekName(name: string): string {
  const lower = name.toLowerCase();
  if (deepseekKnown.has(lower) || /^deepseek-v\d/.test(lower)) return lower;
  return deepseekThinks.test(lower) ? "deepseek-reasoner" : "deepseek-chat";
}

function opencodeName(name: string, profile: ProviderProfile): string {
  const bare = withoutPrefix(withoutPrefix(name, namesOf(profile)), [...new Set(Object.values(vendors))]);
  return bare.startsWith("claude-") ? hyphenated(bare) : bare;
}

/** Models made for conversation rather than for driving tools, as a whole segment of the name. */
const nonAgentic = /(?:^|[/:])(?:[a-z0-9.]*-)?hermes-[34](?=$|[-:/.@])/i;

/** A sentence to show next to the choice, or undefined. It warns and does not stop anybody. */
export function modelWarning(model: string): string | undefined {
  if (!nonAgentic.test(model)) return undefined;
  return `${model} is a conversation model and often fails at calling tools; pick a model made for agents.`;
}
