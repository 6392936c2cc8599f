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
  provider: text("", "Provider id, alias or `custom:<name>`."),
  model: text("", "Model id at that provider."),
  base_url: text("", "Address to use instead of the provider's own."),
  api_key: secret("Credential for that address; sent nowhere else."),
  key_env: text("", "Environment variable that holds the credential."),
  api_mode: choice(apiModes, "", "Wire language; empty chooses by provider and address."),
};

export const target = group(targetShape);

const perModel = group({
  context_length: optionalWhole("Context window in tokens.", { min: 1 }),
  max_tokens: optionalWhole("Output cap in tokens.", { min: 1 }),
  timeout_seconds: optionalAmount("Total time one request may take."),
  stale_timeout_seconds: optionalAmount("Silence after which a stream counts as dead."),
});

export const modelSections = {
  model: section(
    { description: "The main model and where it is served.", category: "Model and providers", reload: "next-session" },
    {
      default: text("", "Model id; empty uses the provider's default model."),
      provider: text("auto", "Provider id; `auto` picks one from the credentials found."),
      base_url: text("", "Endpoint of the provider named beside it."),
      api_key: secret("Credential for `model.base_url`."),
      api_mode: choice(apiModes, "", "Wire language; empty chooses by provider and address."),
      context_length: optionalWhole("Context window in tokens, overriding what is known about the model.", { min: 1 }),
      max_tokens: optionalWhole("Largest answer in tokens.", { min: 1 }),
      allow_small_context: flag(false, "Accept models whose window is below the safe minimum."),
    },
  ),
  local: section(
    {
      description: "Models that Hermes itself runs on this machine (`hermes local`).",
      category: "Model and providers",
      reload: "next-session",
    },
    {
      context_length: optionalWhole("Largest context window to make room for, in tokens; less needs less memory.", {
        min: 512,
      }),
      idle_minutes: amount(15, "Minutes without a request after which the model leaves memory.", { min: 0.1 }),
      toolsets: texts(
        ["file", "terminal"],
        "Toolsets of sessions that begin with such a model: every tool is read before the first answer.",
      ),
      mirror: text("", "Where model files are fetched from instead of the address in the catalogue."),
    },
  ),
  model_aliases: mapOf(
    group({
      model: text("", "Model id the alias stands for."),
      provider: text("", "Provider to use with it."),
      base_url: text("", "Endpoint to use with it."),
    }),
    { description: "Own short names for models.", category: "Model and providers" },
  ),
  providers: mapOf(
    group({
      name: text("", "Display name."),
      base_url: text("", "Endpoint."),
      key_env: text("", "Environment variable that holds the credential."),
      api_key: secret("Credential for that endpoint; sent nowhere else."),
      api_mode: choice(apiModes, "", "Wire language; empty chooses by address."),
      default_model: text("", "Model used when none is named."),
      context_length: optionalWhole("Context window in tokens for all its models.", { min: 1 }),
      models: mapOf(perModel, "Settings for single models."),
      request_timeout_seconds: optionalAmount("Total time one request may take."),
      stale_timeout_seconds: optionalAmount("Silence after which a stream counts as dead."),
      rate_limit_delay: optionalAmount("Seconds to wait between two requests."),
      prefer_env_token: flag(false, "Use the token from the environment before stored logins (Anthropic)."),
    }),
    { description: "Settings for built-in providers, and named custom ones.", category: "Model and providers" },
  ),
  custom_providers: listOf(
    group({
      name: text("", "Display name; selects the entry as `custom:<name>`."),
      base_url: text("", "Endpoint."),
      api_key: secret("Credential for that endpoint; sent nowhere else."),
      key_env: text("", "Environment variable that holds the credential."),
      api_mode: choice(apiModes, "", "Wire language; empty chooses by address."),
      model: text("", "Model used when none is named."),
      models: mapOf(perModel, "Settings for single models."),
      context_length: optionalWhole("Context window in tokens.", { min: 1 }),
      rate_limit_delay: optionalAmount("Seconds to wait between two requests."),
    }),
    { description: "Named endpoints, as a list.", category: "Model and providers" },
  ),
  fallback_model: optional(target, {
    description: "One model to use when the main model fails. A `fallback_providers` list wins over it.",
    category: "Model and providers",
  }),
  fallback_providers: listOf(target, {
    description: "Models to try in order when the main model fails.",
    category: "Model and providers",
  }),
  fallback: section(
    { description: "When to change to a fallback model.", category: "Model and providers" },
    {
      on_rate_limit: choice(
        ["eager", "after_retries"],
        "eager",
        "Change at once on a rate limit, or only after all retries.",
      ),
    },
  ),
  credential_pool_strategies: mapOf(anyOf(["fill_first", "round_robin", "least_used", "random"]), {
    description: "How a provider's stored credentials take turns; `fill_first` where nothing is said.",
    category: "Model and providers",
  }),
  credential_pool: section(
    { description: "Stored credentials that take turns.", category: "Model and providers" },
    {
      cooldown_seconds: section("How long a refused credential rests when the provider names no time.", {
        rate_limit: whole(3600, "After a rate limit."),
        billing: whole(86_400, "After the credit ran out."),
      }),
    },
  ),
  provider_routing: section(
    { description: "Routing preferences passed to OpenRouter.", category: "Model and providers" },
    {
      sort: optionalText("Order of upstream providers: `price`, `throughput` or `latency`."),
      only: texts([], "Upstream providers that may be used; empty allows all."),
      ignore: texts([], "Upstream providers that may not be used."),
      order: texts([], "Upstream providers to try first, in order."),
      require_parameters: optionalFlag("Use only upstream providers that support every parameter sent."),
      data_collection: optionalText("`allow` or `deny` upstream providers that store prompts."),
    },
  ),
  prompt_caching: section(
    { description: "Prompt caching at the provider.", category: "Model and providers" },
    { cache_ttl: choice(["5m", "1h"], "5m", "How long a cached prefix lives.") },
  ),
  bedrock: section(
    { description: "Amazon Bedrock.", category: "Model and providers" },
    {
      region: text("", "Region; empty takes it from the AWS environment."),
      discovery: section("Finding the models an account may use.", {
        enabled: flag(true, "Ask the account for its models."),
        provider_filter: texts([], "Only models of these makers; empty allows all."),
        refresh_interval: whole(3600, "Seconds a found list stays valid."),
      }),
      guardrail: section("Guardrail applied to every request.", {
        guardrail_identifier: text("", "Identifier; empty means no guardrail."),
        guardrail_version: text("", "Version of the guardrail."),
        stream_processing_mode: choice(["async", "sync"], "async", "Check beside the stream, or hold the stream."),
        trace: choice(["disabled", "enabled", "enabled_full"], "disabled", "Trace detail in answers."),
      }),
    },
  ),
  model_catalog: section(
    { description: "Lists of recommended models.", category: "Model and providers" },
    {
      enabled: flag(true, "Merge a remote list over the built-in one."),
      url: text("", "Address of the remote list; empty uses only the built-in list."),
      ttl_hours: amount(24, "Hours a fetched list stays valid."),
      providers: mapOf(anyText, "Own list address per provider; it wins over the general list."),
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
        "Own prices by provider and model; they win over every other source.",
      ),
    },
  ),
  network: section(
    { description: "Outgoing connections.", category: "Model and providers", reload: "restart" },
    { force_ipv4: flag(false, "Never connect over IPv6.") },
  ),
  timeouts: section(
    { description: "How long a model call may take.", category: "Model and providers" },
    {
      request_seconds: amount(1800, "Total time of one call."),
      stream_read_seconds: amount(120, "Silence on the connection before the read gives up."),
      stream_stale_seconds: amount(180, "Time without real data before a stream is restarted."),
      call_stale_seconds: amount(300, "The same for calls that do not stream."),
      stream_retries: whole(
        2,
        "Further attempts when the connection breaks before anything was said; unless changed, `agent.api_max_retries` counts for them too.",
      ),
    },
  ),
  budget: section(
    {
      description: "Money limits. A model call is admitted only while its reservation fits.",
      category: "Budget",
      reload: "restart",
    },
    {
      session_usd: optionalAmount("Most one session may cost, in dollars."),
      daily_usd: optionalAmount("Most all sessions together may cost per day, in dollars."),
      user_daily_usd: optionalAmount(
        "Most each person may cost per day, in dollars, where several people talk to one Hermes.",
      ),
      delegation_tree_usd: optionalAmount(
        "Most one delegated task and everything below it may cost together, in dollars.",
      ),
      mode: choice(
        ["soft", "hard"],
        "soft",
        "`soft` says so when a limit is passed; `hard` stops before the next call.",
      ),
      unknown_price: choice(
        ["allow", "refuse"],
        "allow",
        "What to do, while a limit is set, with a model whose price is not known.",
      ),
    },
  ),
};
