import { withoutVendor } from "./model-name.ts";

/** Short names people type, and which model ids each of them stands for (matched without the vendor part). */
const modelFamilies: Readonly<Record<string, RegExp>> = {
  sonnet: /^claude-(?:[\d.-]+-)?sonnet/,
  opus: /^claude-(?:[\d.-]+-)?opus/,
  haiku: /^claude-(?:[\d.-]+-)?haiku/,
  claude: /^claude-/,
  gpt5: /^gpt-5/,
  gpt: /^gpt-/,
  codex: /^gpt-.*codex|^codex-/,
  o3: /^o3(?:-|$)/,
  o4: /^o4(?:-|$)/,
  gemini: /^gemini-/,
  deepseek: /^deepseek-/,
  grok: /^grok-/,
  llama: /^llama-?\d/,
  qwen: /^qwen/,
  minimax: /^minimax-/,
  nemotron: /^nemotron-/,
  kimi: /^kimi-/,
  glm: /^glm-/,
  step: /^step-/,
  mimo: /^mimo-/,
  trinity: /^trinity-/,
};

export function isModelAlias(word: string): boolean {
  return Object.hasOwn(modelFamilies, word.trim().toLowerCase());
}

/** The newest model of the family among those offered; undefined when the provider has none. */
export function newestOf(alias: string, offered: readonly string[]): string | undefined {
  const name = alias.trim().toLowerCase();
  const family = Object.hasOwn(modelFamilies, name) ? modelFamilies[name] : undefined;
  if (family === undefined) return undefined;
  return offered
    .filter((model) => family.test(withoutVendor(model).toLowerCase()))
    .reduce<string | undefined>(
      (best, model) => (best === undefined || isBetter(model, best) ? model : best),
      undefined,
    );
}

/** Higher version first; of one version the plainest name, and of equals the one listed first. */
function isBetter(model: string, than: string): boolean {
  const [mine, other] = [rankOf(model), rankOf(than)];
  for (let at = 0; at < Math.max(mine.version.length, other.version.length); at += 1) {
    const difference = (mine.version[at] ?? 0) - (other.version[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return mine.extras < other.extras;
}

interface Rank {
  readonly version: readonly number[];
  /** How much is said besides family and version: `-mini`, `-preview`, `:free`. */
  readonly extras: number;
}

function rankOf(model: string): Rank {
  const bare = withoutVendor(model).toLowerCase();
  // Dates and sizes are not versions: eight digits, `120b`, `a12b`.
  const parts = bare.split(/[-.:_]/).filter((part) => part !== "");
  const version: number[] = [];
  let extras = bare.includes(":") ? 1 : 0;
  for (const part of [...trailingDigits(parts[0] ?? ""), ...parts.slice(1)]) {
    const number = /^v?(\d{1,3})$/.exec(part)?.[1] ?? /^[mk](\d{1,2})$/.exec(part)?.[1];
    if (number !== undefined) version.push(Number(number));
    else if (/^(?:sonnet|opus|haiku)$/.test(part) || /^\d{6,}$/.test(part)) continue;
    else extras += 1;
  }
  return { version, extras };
}

/** `qwen3` carries its version in the first word. */
function trailingDigits(word: string): readonly string[] {
  const digits = /\d+$/.exec(word)?.[0];
  return digits === undefined || /^o\d$/.test(word) ? [] : [digits];
}
