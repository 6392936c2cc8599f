import {
  amount,
  anyMap,
  anyOf,
  anyText,
  choice,
  flag,
  group,
  listOf,
  mapOf,
  optional,
  optionalAmount,
  optionalFlag,
  optionalText,
  optionalWhole,
  secret,
  section,
  text,
  texts,
  whole,
} from "./setting.ts";

/** Wire languages a person may pin; empty leaves the choice to the provider and the address. */
const apiModes = ["", "chat_completions", "codex_responses", "anthropic_messages"] as const;

/** One model somewhere: the entry of a fallback chain, of an auxiliary chain or of a child's chain. */
export const targetShape = {
  provider: text("", "Provider ID, alias or `custom:<name>`."),
  model: text("", "Model ID at that provider."),
  base_url: text("", "Base URL to use instead of the provider's own."),
  api_key: secret("API key for that address. It is never sent anywhere else."),
  key_env: text("", "Environment variable that holds the API key."),
  api_mode: choice(apiModes, "", "API format. Empty: chosen from the provider and address."),
};

export const target = group(targetShape);

const perModel = group({
  context_length: optionalWhole("Context window in tokens.", { min: 1 }),
  max_tokens: optionalWhole("Maximum output in tokens.", { min: 1 }),
  timeout_seconds: optionalAmount("Maximum seconds for one request."),
  stale_timeout_seconds: optionalAmount("Seconds without data after which a stream counts as dead."),
});

export const modelSections = {
  model: section(
    { description: "The main model and its endpoint.", category: "Model and providers", reload: "next-session" },
    {
      default: text("", "Model ID. Empty: the provider's default model."),
      provider: text("auto", "Provider ID. `auto` picks one from the credentials it finds."),
      base_url: text("", "Base URL of `model.provider`."),
      api_key: secret("API key for `model.base_url`."),
      api_mode: choice(apiModes, "", "API format. Empty: chosen from the provider and address."),
      context_length: optionalWhole("Context window in tokens. Overrides what Hermes knows about the model.", {
        min: 1,
      }),
      max_tokens: optionalWhole("Maximum output in tokens.", { min: 1 }),
      allow_small_context: flag(false, "Allow models whose context window is below the recommended minimum."),
    },
  ),
  local: section(
    {
      description: "Models that Hermes runs on this machine (`hermes local`).",
      category: "Model and providers",
      reload: "next-session",
    },
    {
      context_length: optionalWhole("Maximum context window in tokens. A smaller one needs less memory.", {
        min: 512,
      }),
      idle_minutes: amount(15, "Minutes without a request before the model is unloaded.", { min: 0.1 }),
      toolsets: texts(
        ["file", "terminal"],
        "Toolsets for sessions that start on a local model. The model reads every tool before its first answer, so fewer tools answer sooner.",
      ),
      mirror: text("", "Base URL to download model files from, instead of the one in the catalogue."),
    },
  ),
  model_aliases: mapOf(
    group({
      model: text("", "Model ID the alias stands for."),
      provider: text("", "Provider to use with this model."),
      base_url: text("", "Base URL to use with this model."),
    }),
    { description: "Short names for models.", category: "Model and providers" },
  ),
  providers: mapOf(
    group({
      name: text("", "Display name."),
      base_url: text("", "Base URL of the API."),
      key_env: text("", "Environment variable that holds the API key."),
      api_key: secret("API key for that endpoint. It is never sent anywhere else."),
      api_mode: choice(apiModes, "", "API format. Empty: chosen from the address."),
      default_model: text("", "Model to use when none is given."),
      context_length: optionalWhole("Context window in tokens, for all its models.", { min: 1 }),
      models: mapOf(perModel, "Settings per model."),
      request_timeout_seconds: optionalAmount("Maximum seconds for one request."),
      stale_timeout_seconds: optionalAmount("Seconds without data after which a stream counts as dead."),
      rate_limit_delay: optionalAmount("Minimum seconds between two requests."),
      prefer_env_token: flag(false, "Prefer the token in the environment over stored logins (Anthropic)."),
    }),
    { description: "Settings for built-in providers and named custom ones.", category: "Model and providers" },
  ),
  custom_providers: listOf(
    group({
      name: text("", "Display name. Select the entry as `custom:<name>`."),
      base_url: text("", "Base URL of the API."),
      api_key: secret("API key for that endpoint. It is never sent anywhere else."),
      key_env: text("", "Environment variable that holds the API key."),
      api_mode: choice(apiModes, "", "API format. Empty: chosen from the address."),
      model: text("", "Model to use when none is given."),
      models: mapOf(perModel, "Settings per model."),
      context_length: optionalWhole("Context window in tokens.", { min: 1 }),
      rate_limit_delay: optionalAmount("Minimum seconds between two requests."),
    }),
    { description: "Custom endpoints.", category: "Model and providers" },
  ),
  fallback_model: optional(target, {
    description: "Model to use when the main model fails. Ignored when `fallback_providers` is set.",
    category: "Model and providers",
  }),
  fallback_providers: listOf(target, {
    description: "Models to try in order when the main model fails.",
    category: "Model and providers",
  }),
  fallback: section(
    { description: "When to switch to a fallback model.", category: "Model and providers" },
    {
      on_rate_limit: choice(
        ["eager", "after_retries"],
        "eager",
        "On a rate limit: switch at once, or only after all retries.",
      ),
    },
  ),
  credential_pool_strategies: mapOf(anyOf(["fill_first", "round_robin", "least_used", "random"]), {
    description: "How a provider's stored credentials are rotated. Default: `fill_first`.",
    category: "Model and providers",
  }),
  credential_pool: section(
    { description: "Rotation of stored credentials.", category: "Model and providers" },
    {
      cooldown_seconds: section("Seconds a rejected credential is skipped when the provider gives no time.", {
        rate_limit: whole(3600, "After a rate limit."),
        billing: whole(86_400, "After the account ran out of credit."),
      }),
    },
  ),
  provider_routing: section(
    { description: "Routing preferences sent to OpenRouter.", category: "Model and providers" },
    {
      sort: optionalText("Order of upstream providers: `price`, `throughput` or `latency`."),
      only: texts([], "Upstream providers to allow. Empty: all."),
      ignore: texts([], "Upstream providers to exclude."),
      order: texts([], "Upstream providers to try first, in order."),
      require_parameters: optionalFlag("Use only upstream providers that support every parameter sent."),
      data_collection: optionalText("`allow` or `deny` upstream providers that store prompts."),
    },
  ),
  prompt_caching: section(
    { description: "Prompt caching at the provider.", category: "Model and providers" },
    { cache_ttl: choice(["5m", "1h"], "5m", "How long the provider keeps a cached prefix.") },
  ),
  bedrock: section(
    { description: "Amazon Bedrock.", category: "Model and providers" },
    {
      region: text("", "AWS region. Empty: taken from the AWS environment."),
      discovery: section("Discovery of the models an account can use.", {
        enabled: flag(true, "Ask AWS which models the account can use."),
        provider_filter: texts([], "Only models from these vendors. Empty: all."),
        refresh_interval: whole(3600, "Seconds a discovered list stays valid."),
      }),
      guardrail: section("Guardrail applied to every request.", {
        guardrail_identifier: text("", "Guardrail ID. Empty: no guardrail."),
        guardrail_version: text("", "Version of the guardrail."),
        stream_processing_mode: choice(
          ["async", "sync"],
          "async",
          "`async` checks while streaming, `sync` holds the stream until checked.",
        ),
        trace: choice(["disabled", "enabled", "enabled_full"], "disabled", "Trace detail in responses."),
      }),
    },
  ),
  model_catalog: section(
    { description: "Public lists of models.", category: "Model and providers" },
    {
      enabled: flag(true, "Read public lists of models behind the work: recommended ones, windows, prices."),
      url: text("", "URL of the remote list. Empty: built-in list only."),
      ttl_hours: amount(24, "Hours a fetched list stays valid."),
      providers: mapOf(anyText, "List URL per provider. Overrides the general list."),
    },
  ),
  pricing: section(
    { description: "Prices for cost estimates.", category: "Model and providers", reload: "restart" },
    {
      overrides: mapOf(
        anyMap(
          group({
            input: optionalAmount("Dollars per million input tokens."),
            output: optionalAmount("Dollars per million output tokens."),
            cache_read: optionalAmount("Dollars per million tokens read from the cache."),
            cache_write: optionalAmount("Dollars per million tokens written to the cache."),
            request: optionalAmount("Dollars per request."),
          }),
        ),
        "Prices by provider and model. Override every other source.",
      ),
    },
  ),
  network: section(
    { description: "Outgoing connections.", category: "Model and providers", reload: "restart" },
    { force_ipv4: flag(false, "Never connect over IPv6.") },
  ),
  timeouts: section(
    { description: "Time limits for model calls.", category: "Model and providers" },
    {
      request_seconds: amount(1800, "Maximum seconds for one call."),
      stream_read_seconds: amount(120, "Seconds without any bytes before a read fails."),
      stream_stale_seconds: amount(180, "Seconds without real data before a stream is restarted."),
      call_stale_seconds: amount(300, "The same for calls that do not stream, in seconds."),
      stream_retries: whole(
        2,
        "Retries when the connection breaks before any output. Unless changed, `agent.api_max_retries` limits them too.",
      ),
    },
  ),
  budget: section(
    {
      description: "Spending limits. A model call runs only while its estimated cost fits.",
      category: "Budget",
      reload: "restart",
    },
    {
      session_usd: optionalAmount("Limit per session, in US dollars."),
      daily_usd: optionalAmount("Limit per day for all sessions, in US dollars."),
      user_daily_usd: optionalAmount("Limit per person and day, in US dollars, when several people share one Hermes."),
      delegation_tree_usd: optionalAmount("Limit for one delegated task and all its children, in US dollars."),
      mode: choice(
        ["soft", "hard"],
        "soft",
        "`soft` warns when a limit is exceeded, `hard` stops before the next call.",
      ),
      unknown_price: choice(
        ["allow", "refuse"],
        "allow",
        "Whether a model with an unknown price may be used while a limit is set.",
      ),
    },
  ),
};
