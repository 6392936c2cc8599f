import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkProfile } from "./check-profile.ts";
import { hostOf } from "./hosts.ts";
import { type ProviderProfile, profile } from "./provider.ts";
import { builtinProviders } from "./records/builtin.ts";
import { ProviderRegistry } from "./registry.ts";

/** id, base URL, base URL variables, key variables, default model, side model. */
const rows: readonly (readonly [string, string, string, string, string, string])[] = [
  [
    "nous",
    "https://inference-api.nousresearch.com/v1",
    "NOUS_INFERENCE_BASE_URL",
    "",
    "moonshotai/kimi-k2.6",
    "google/gemini-3-flash-preview",
  ],
  [
    "openrouter",
    "https://openrouter.ai/api/v1",
    "OPENROUTER_BASE_URL",
    "OPENROUTER_API_KEY",
    "moonshotai/kimi-k2.6",
    "google/gemini-3-flash-preview",
  ],
  [
    "ai-gateway",
    "https://ai-gateway.vercel.sh/v1",
    "AI_GATEWAY_BASE_URL",
    "AI_GATEWAY_API_KEY",
    "moonshotai/kimi-k2.6",
    "google/gemini-3-flash",
  ],
  [
    "anthropic",
    "https://api.anthropic.com",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_TOKEN CLAUDE_CODE_OAUTH_TOKEN ANTHROPIC_API_KEY",
    "claude-opus-4-7",
    "claude-haiku-4-5-20251001",
  ],
  ["openai-codex", "https://chatgpt.com/backend-api/codex", "HERMES_CODEX_BASE_URL", "", "gpt-5.5", "gpt-5.2-codex"],
  ["openai", "https://api.openai.com/v1", "", "OPENAI_API_KEY", "gpt-5.4", "gpt-5.4-mini"],
  [
    "copilot",
    "https://api.githubcopilot.com",
    "COPILOT_API_BASE_URL",
    "COPILOT_GITHUB_TOKEN GH_TOKEN GITHUB_TOKEN",
    "gpt-5.4",
    "",
  ],
  ["copilot-acp", "acp://copilot", "COPILOT_ACP_BASE_URL", "", "copilot-acp", ""],
  [
    "gemini",
    "https://generativelanguage.googleapis.com/v1beta",
    "GEMINI_BASE_URL",
    "GOOGLE_API_KEY GEMINI_API_KEY",
    "gemini-3.1-pro-preview",
    "gemini-3-flash-preview",
  ],
  ["google-gemini-cli", "cloudcode-pa://google", "", "", "gemini-3.1-pro-preview", ""],
  [
    "alibaba",
    "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    "DASHSCOPE_BASE_URL",
    "DASHSCOPE_API_KEY",
    "qwen3.5-plus",
    "",
  ],
  [
    "alibaba-coding-plan",
    "https://coding-intl.dashscope.aliyuncs.com/v1",
    "ALIBABA_CODING_PLAN_BASE_URL",
    "ALIBABA_CODING_PLAN_API_KEY DASHSCOPE_API_KEY",
    "qwen3-coder-plus",
    "",
  ],
  ["qwen-oauth", "https://portal.qwen.ai/v1", "HERMES_QWEN_BASE_URL", "", "qwen3-coder-plus", ""],
  ["deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_BASE_URL", "DEEPSEEK_API_KEY", "deepseek-v4-pro", ""],
  [
    "zai",
    "https://api.z.ai/api/paas/v4",
    "GLM_BASE_URL",
    "GLM_API_KEY ZAI_API_KEY Z_AI_API_KEY",
    "glm-5.1",
    "glm-4.5-flash",
  ],
  [
    "kimi-coding",
    "https://api.moonshot.ai/v1",
    "KIMI_BASE_URL",
    "KIMI_API_KEY KIMI_CODING_API_KEY",
    "kimi-k2.6",
    "kimi-k2-turbo-preview",
  ],
  ["kimi-coding-cn", "https://api.moonshot.cn/v1", "", "KIMI_CN_API_KEY", "kimi-k2.6", "kimi-k2-turbo-preview"],
  [
    "minimax",
    "https://api.minimax.io/anthropic",
    "MINIMAX_BASE_URL",
    "MINIMAX_API_KEY",
    "MiniMax-M2.7",
    "MiniMax-M2.7",
  ],
  [
    "minimax-cn",
    "https://api.minimaxi.com/anthropic",
    "MINIMAX_CN_BASE_URL",
    "MINIMAX_CN_API_KEY",
    "MiniMax-M2.7",
    "MiniMax-M2.7",
  ],
  [
    "stepfun",
    "https://api.stepfun.ai/step_plan/v1",
    "STEPFUN_BASE_URL",
    "STEPFUN_API_KEY",
    "step-3.5-flash",
    "step-3.5-flash",
  ],
  [
    "kilocode",
    "https://api.kilo.ai/api/gateway",
    "KILOCODE_BASE_URL",
    "KILOCODE_API_KEY",
    "anthropic/claude-opus-4.6",
    "google/gemini-3-flash-preview",
  ],
  ["huggingface", "https://router.huggingface.co/v1", "HF_BASE_URL", "HF_TOKEN", "moonshotai/Kimi-K2.5", ""],
  [
    "opencode-zen",
    "https://opencode.ai/zen/v1",
    "OPENCODE_ZEN_BASE_URL",
    "OPENCODE_ZEN_API_KEY",
    "kimi-k2.5",
    "gemini-3-flash",
  ],
  ["opencode-go", "https://opencode.ai/zen/go/v1", "OPENCODE_GO_BASE_URL", "OPENCODE_GO_API_KEY", "kimi-k2.6", "glm-5"],
  ["xai", "https://api.x.ai/v1", "XAI_BASE_URL", "XAI_API_KEY", "grok-4.20-reasoning", ""],
  [
    "nvidia",
    "https://integrate.api.nvidia.com/v1",
    "NVIDIA_BASE_URL",
    "NVIDIA_API_KEY",
    "nvidia/nemotron-3-super-120b-a12b",
    "",
  ],
  ["xiaomi", "https://api.xiaomimimo.com/v1", "XIAOMI_BASE_URL", "XIAOMI_API_KEY", "mimo-v2.5-pro", ""],
  ["arcee", "https://api.arcee.ai/api/v1", "ARCEE_BASE_URL", "ARCEEAI_API_KEY", "trinity-large-thinking", ""],
  ["ollama-cloud", "https://ollama.com/v1", "OLLAMA_BASE_URL", "OLLAMA_API_KEY", "", "nemotron-3-nano:30b"],
  [
    "bedrock",
    "https://bedrock-runtime.us-east-1.amazonaws.com",
    "BEDROCK_BASE_URL",
    "AWS_BEARER_TOKEN_BEDROCK",
    "us.anthropic.claude-sonnet-4-6",
    "",
  ],
  ["azure-foundry", "", "AZURE_FOUNDRY_BASE_URL", "AZURE_FOUNDRY_API_KEY", "", ""],
  ["local", "http://127.0.0.1", "", "", "", ""],
  ["custom", "", "", "", "", ""],
];

const aliasRows: Readonly<Record<string, string>> = {
  or: "openrouter",
  "open-router": "openrouter",
  aigateway: "ai-gateway",
  vercel: "ai-gateway",
  "vercel-ai-gateway": "ai-gateway",
  claude: "anthropic",
  "claude-code": "anthropic",
  codex: "openai-codex",
  github: "copilot",
  "github-copilot": "copilot",
  "github-models": "copilot",
  "github-model": "copilot",
  "github-copilot-acp": "copilot-acp",
  "copilot-acp-agent": "copilot-acp",
  google: "gemini",
  "google-gemini": "gemini",
  "google-ai-studio": "gemini",
  "gemini-cli": "google-gemini-cli",
  "gemini-oauth": "google-gemini-cli",
  dashscope: "alibaba",
  aliyun: "alibaba",
  qwen: "alibaba",
  "alibaba-cloud": "alibaba",
  alibaba_coding: "alibaba-coding-plan",
  "alibaba-coding": "alibaba-coding-plan",
  alibaba_coding_plan: "alibaba-coding-plan",
  "qwen-portal": "qwen-oauth",
  "qwen-cli": "qwen-oauth",
  "deep-seek": "deepseek",
  glm: "zai",
  "z-ai": "zai",
  "z.ai": "zai",
  zhipu: "zai",
  kimi: "kimi-coding",
  "kimi-for-coding": "kimi-coding",
  moonshot: "kimi-coding",
  "kimi-cn": "kimi-coding-cn",
  "moonshot-cn": "kimi-coding-cn",
  "minimax-china": "minimax-cn",
  minimax_cn: "minimax-cn",
  step: "stepfun",
  "stepfun-coding-plan": "stepfun",
  kilo: "kilocode",
  "kilo-code": "kilocode",
  "kilo-gateway": "kilocode",
  hf: "huggingface",
  "hugging-face": "huggingface",
  "huggingface-hub": "huggingface",
  opencode: "opencode-zen",
  zen: "opencode-zen",
  go: "opencode-go",
  "opencode-go-sub": "opencode-go",
  "x-ai": "xai",
  "x.ai": "xai",
  grok: "xai",
  nim: "nvidia",
  "nvidia-nim": "nvidia",
  "build-nvidia": "nvidia",
  nemotron: "nvidia",
  mimo: "xiaomi",
  "xiaomi-mimo": "xiaomi",
  "arcee-ai": "arcee",
  arceeai: "arcee",
  ollama_cloud: "ollama-cloud",
  aws: "bedrock",
  "aws-bedrock": "bedrock",
  "amazon-bedrock": "bedrock",
  amazon: "bedrock",
  ollama: "custom",
  vllm: "custom",
  llamacpp: "custom",
  "llama.cpp": "custom",
  "llama-cpp": "custom",
  lmstudio: "custom",
  "lm-studio": "custom",
  lm_studio: "custom",
};

describe("provider records", () => {
  test.each(builtinProviders.map((one) => [one.id, one] as const))(
    "[20:R2.1] the record of %s is sound",
    (_id, one) => {
      expect(checkProfile(one)).toEqual([]);
    },
  );

  test.each(rows)("[20:R2.1] %s is the row of the catalogue", (id, baseUrl, urls, keys, model, aux) => {
    const found = new ProviderRegistry().find(id);
    expect({
      baseUrl: found?.baseUrl,
      urls: found?.baseUrlEnv.join(" "),
      keys: found?.keyEnv.join(" "),
      model: found?.curatedModels[0] ?? "",
      aux: found?.auxModel ?? "",
    }).toEqual({ baseUrl, urls, keys, model, aux });
  });

  test("[20:R0.6][20:R2.1] every record is data that passes the check, and what is wrong with one is said", () => {
    expect(builtinProviders.flatMap((one) => checkProfile(one))).toEqual([]);
    const [first] = builtinProviders;
    if (first === undefined) throw new Error("no records");
    const broken = {
      ...first,
      authKind: "magic",
      baseUrl: "not a url",
      keyEnv: ["lower"],
    } as unknown as ProviderProfile;
    expect(checkProfile(broken)).toHaveLength(3);
    // Plain data survives being written down, but for the patterns in it.
    const functions = builtinProviders.flatMap((one) =>
      Object.values(one).filter((part) => typeof part === "function"),
    );
    expect(functions).toEqual([]);
  });

  test("[20:A2.7] every family has exactly one record and no record is left over", () => {
    expect(builtinProviders.map((one) => one.id).sort()).toEqual(rows.map(([id]) => id).sort());
  });

  test("[20:A2.7][20:R2.1] no id or alias appears in two records", () => {
    const names = builtinProviders.flatMap((one) => [one.id, ...one.aliases]);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  test("[20:R2.1] every alias of the catalogue leads to its provider", () => {
    const registry = new ProviderRegistry();
    expect(Object.fromEntries(Object.keys(aliasRows).map((name) => [name, registry.find(name)?.id]))).toEqual(
      aliasRows,
    );
    const listed = builtinProviders.flatMap((one) => one.aliases).sort();
    expect(listed).toEqual(Object.keys(aliasRows).sort());
  });

  test("[20:A2.1] moonshot and ollama are names of other providers", () => {
    const registry = new ProviderRegistry();
    expect([registry.find("moonshot")?.id, registry.find("OLLAMA ")?.id]).toEqual(["kimi-coding", "custom"]);
  });

  test("[20:R3.15] a key may go to the host of its own provider's address", () => {
    for (const one of builtinProviders) {
      const host = hostOf(one.baseUrl);
      if (!one.baseUrl.startsWith("http") || one.id === "bedrock") continue;
      expect([one.id, one.allowedHosts.includes(host ?? "")]).toEqual([one.id, true]);
    }
  });

  test("[20:R3.16] no record allows a host that belongs to everybody", () => {
    const hosts = builtinProviders.flatMap((one) => one.allowedHosts);
    expect(
      hosts.filter((host) => host.split(".").length < 2 || ["amazonaws.com", "googleapis.com"].includes(host)),
    ).toEqual([]);
  });

  test("[20:R3.7] GitHub's providers are never chosen by themselves", () => {
    expect(builtinProviders.filter((one) => one.isNeverAutomatic === true).map((one) => one.id)).toEqual([
      "copilot",
      "copilot-acp",
    ]);
  });
});

describe("the registry", () => {
  const plain = profile({
    id: "acme",
    label: "Acme",
    aliases: ["ac"],
    baseUrl: "https://api.acme.test/v1",
    curatedModels: ["acme-1"],
  });

  test("[20:R2.17] a plugin's provider is found until it is disposed", () => {
    const registry = new ProviderRegistry();
    const registration = registry.register(plain);
    expect([registry.find("acme")?.label, registry.find("AC")?.label, registry.all().at(-1)?.id]).toEqual([
      "Acme",
      "Acme",
      "acme",
    ]);
    registration[Symbol.dispose]();
    expect([registry.find("acme"), registry.find("ac"), registry.all().some((one) => one.id === "acme")]).toEqual([
      undefined,
      undefined,
      false,
    ]);
  });

  test("[20:R2.1] a name that is taken is refused, and nothing of the record stays", () => {
    const registry = new ProviderRegistry();
    expect(() => registry.register({ ...plain, aliases: ["ac", "kimi"] })).toThrow(
      /"kimi", which belongs to "kimi-coding"/,
    );
    expect(registry.find("ac")).toBeUndefined();
  });

  test.each<readonly [string, Partial<ProviderProfile>, RegExp]>([
    ["an id with capitals", { id: "Acme" }, /id must be/],
    ["no label", { label: " " }, /label is missing/],
    ["a relative address", { baseUrl: "api.acme.test" }, /not an absolute address/],
    ["a trailing slash", { baseUrl: "https://api.acme.test/" }, /slash/],
    ["a password in the address", { baseUrl: "https://a:b@api.acme.test" }, /password/],
    ["a bare top-level host", { allowedHosts: ["test"] }, /allowedHosts/],
    ["a credential in the headers", { headers: { Authorization: "Bearer x" } }, /belongs to the credential/],
    ["a variable in lower case", { keyEnv: ["acme_key"] }, /keyEnv/],
    ["an unknown wire", { protocol: "soap" as never }, /protocol "soap"/],
    ["an unknown way to log in", { authKind: "magic" as never }, /authKind/],
  ])("[20:R2.1] refuses a record with %s", (_what, change, expected) => {
    expect(() => new ProviderRegistry().register({ ...plain, ...change })).toThrow(expected);
  });

  test("a mistyped name is guessed", () => {
    expect(new ProviderRegistry().suggest("anthropc")).toBe("anthropic");
  });
});

/** Words that are ids of providers and something else as well: names of dialects, of ways to write a model, of a grammar, of a terminal. */
const ambiguous = new Set([
  ...["anthropic", "openrouter", "openai", "gemini", "deepseek", "copilot", "custom", "xai"],
  "local",
]);

/** Comparisons with the id of a provider, outside of records and tests. */
function comparisonsIn(text: string, ids: readonly string[]): readonly string[] {
  const pattern = new RegExp(`(?:[=!]==\\s*|case\\s+|\\.includes\\(\\s*|\\.has\\(\\s*)"(${ids.join("|")})"`, "g");
  return [...text.matchAll(pattern)].map((match) => match[1] ?? "");
}

describe("ids of providers", () => {
  const ids = builtinProviders.map((one) => one.id).filter((id) => !ambiguous.has(id));

  test("no code asks for one: what is special about a provider is a field of its record", () => {
    const root = join(import.meta.dirname, "../..");
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".ts") && !/\.test\.ts$|testing|providers[\\/]records/.test(file),
    );
    expect(files.length).toBeGreaterThan(500);
    const found = files.flatMap((file) =>
      comparisonsIn(readFileSync(join(root, file), "utf8"), ids).map((id) => `${file}: ${id}`),
    );
    expect(found).toEqual([]);
  });

  test("a comparison would be noticed", () => {
    expect(comparisonsIn('if (profile.id === "nous" || x !== "zai") case "openai-codex":', ids)).toEqual([
      "nous",
      "zai",
      "openai-codex",
    ]);
  });
});
