/** Services beside the providers of models: the group they belong to, whom they are, their variables, and where a key is made. */
type ServiceRow = readonly [label: string, url: string, ...names: readonly string[]];

export const serviceKeys: Readonly<Record<string, readonly ServiceRow[]>> = {
  Models: [
    [
      "AWS Bedrock",
      "https://console.aws.amazon.com/iam",
      "AWS_ACCESS_KEY_ID",
      "AWS_SECRET_ACCESS_KEY",
      "AWS_SESSION_TOKEN",
    ],
    ["Anthropic on Azure", "https://ai.azure.com", "AZURE_ANTHROPIC_KEY"],
    ["Cohere", "https://dashboard.cohere.com/api-keys", "COHERE_API_KEY"],
    ["Fireworks", "https://app.fireworks.ai/settings/users/api-keys", "FIREWORKS_API_KEY"],
    ["Groq", "https://console.groq.com/keys", "GROQ_API_KEY"],
    ["Mistral", "https://console.mistral.ai/api-keys", "MISTRAL_API_KEY"],
    ["Perplexity", "https://www.perplexity.ai/account/api/keys", "PERPLEXITY_API_KEY"],
    ["Together", "https://api.together.ai/settings/api-keys", "TOGETHER_API_KEY"],
  ],
  "Web and browser": [
    ["Brave Search", "https://api-dashboard.search.brave.com/app/keys", "BRAVE_API_KEY"],
    ["Browserbase", "https://www.browserbase.com/settings", "BROWSERBASE_API_KEY"],
    ["Browser Use", "https://cloud.browser-use.com", "BROWSER_USE_API_KEY"],
    ["Exa", "https://dashboard.exa.ai/api-keys", "EXA_API_KEY"],
    ["Firecrawl", "https://www.firecrawl.dev/app/api-keys", "FIRECRAWL_API_KEY"],
    ["Parallel", "https://platform.parallel.ai", "PARALLEL_API_KEY"],
    ["Tavily", "https://app.tavily.com", "TAVILY_API_KEY"],
  ],
  "Images and speech": [
    ["ElevenLabs", "https://elevenlabs.io/app/settings/api-keys", "ELEVENLABS_API_KEY"],
    ["fal", "https://fal.ai/dashboard/keys", "FAL_KEY"],
    ["Tenor", "https://developers.google.com/tenor", "TENOR_API_KEY"],
    ["OpenAI, for speech", "https://platform.openai.com/api-keys", "VOICE_TOOLS_OPENAI_KEY"],
  ],
  Memory: [
    ["ByteRover", "https://app.byterover.dev", "BRV_API_KEY"],
    ["Hindsight", "https://ui.hindsight.vectorize.io", "HINDSIGHT_API_KEY"],
    ["Honcho", "https://app.honcho.dev", "HONCHO_API_KEY"],
    ["Mem0", "https://app.mem0.ai/dashboard/api-keys", "MEM0_API_KEY"],
    ["RetainDB", "https://www.retaindb.com", "RETAINDB_API_KEY"],
    ["Supermemory", "https://console.supermemory.ai", "SUPERMEMORY_API_KEY"],
  ],
  "Terminals elsewhere": [
    ["Daytona", "https://app.daytona.io/dashboard/keys", "DAYTONA_API_KEY"],
    ["Modal", "https://modal.com/settings/tokens", "MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET"],
  ],
  Training: [
    ["Tinker", "https://tinker-console.thinkingmachines.ai", "TINKER_API_KEY"],
    ["Weights & Biases", "https://wandb.ai/authorize", "WANDB_API_KEY"],
  ],
};
