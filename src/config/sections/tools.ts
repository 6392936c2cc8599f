import {
  amount,
  anyNumber,
  anyText,
  choice,
  either,
  flag,
  group,
  mapOf,
  optionalAmount,
  optionalChoice,
  optionalText,
  section,
  text,
  texts,
  whole,
} from "./setting.ts";

export const toolSections = {
  browser: section(
    { description: "The browser tools.", category: "Tools" },
    {
      inactivity_timeout: whole(120, "Idle seconds before a browser is closed."),
      command_timeout: whole(30, "Maximum seconds for one browser command.", { min: 5, clamp: true }),
      record_sessions: flag(false, "Record browser sessions."),
      allow_private_urls: flag(false, "Let the browser access private and local network addresses."),
      allow_file_urls: flag(false, "Let the browser open local files."),
      auto_local_for_private_urls: flag(
        true,
        "Open private addresses in a local browser when a cloud browser is in use.",
      ),
      cdp_url: text("", "DevTools (CDP) address of a running browser to control."),
      cloud_provider: choice(
        ["auto", "browserbase", "browser-use", "firecrawl", "local"],
        "auto",
        "Browser to use: a cloud service, `local`, or `auto`.",
      ),
      dialog_policy: choice(
        ["must_respond", "auto_dismiss", "auto_accept"],
        "must_respond",
        "What to do with dialogs a page opens.",
      ),
      dialog_timeout_s: whole(300, "Seconds before an unanswered dialog is closed."),
      camofox: section("The Camofox browser.", {
        managed_persistence: flag(false, "Keep its profiles between sessions."),
      }),
    },
  ),
  rl: section(
    { description: "Training runs started by the rl tools.", category: "Tools" },
    {
      root: text("", "Folder of the training checkout, where the trainer is started."),
      trainer_command: text(
        "",
        "Training command, instead of the hosted trainer. The configuration file is in HERMES_RL_CONFIG.",
      ),
      api_command: text("", "Command that starts the trajectory API. Empty: `hermes rl-api`."),
      profile: text("", "YAML file with the locked fields of a run. Empty: those of the hosted trainer."),
      inference_url: text("https://openrouter.ai/api/v1", "Base URL for rl_test_inference."),
    },
  ),
  checkpoints: section(
    { description: "Checkpoints of the workspace, taken before changes.", category: "Tools" },
    {
      enabled: flag(true, "Take a checkpoint before any call that may change files."),
      max_snapshots: whole(50, "Checkpoints to keep per folder."),
      timeout: whole(30, "Maximum seconds for a checkpoint.", { min: 10, max: 60, clamp: true }),
    },
  ),
  tool_search: section(
    {
      description: "Let the model look up tools of MCP servers and plugins instead of listing them all.",
      category: "Tools",
    },
    {
      mode: choice(["auto", "on", "off"], "auto", "`auto`: when their schemas exceed `threshold_tokens`."),
      threshold_tokens: whole(8000, "Tokens of tool schemas at which `auto` turns it on."),
    },
  ),
  file_read_max_chars: whole(100_000, {
    description: "Maximum characters returned by one file read.",
    category: "Tools",
  }),
  tool_output: section(
    { description: "Limits on what tools return to the model.", category: "Tools" },
    {
      max_bytes: whole(50_000, "Maximum characters of command output."),
      max_lines: whole(2000, "Maximum lines of one file read."),
      max_line_length: whole(2000, "Maximum characters per line of a file read."),
      max_result_chars: whole(100_000, "Maximum characters of one tool result. The rest is moved to a file."),
      max_reply_chars: whole(200_000, "Maximum characters of all tool results of one reply."),
      preview_chars: whole(1500, "Characters shown of a result that was moved to a file."),
      results: mapOf(anyNumber({ whole: true }), "Limit in characters, per tool."),
    },
  ),
  file_safety: section(
    { description: "Writes to files that changed since they were read.", category: "Tools" },
    {
      stale_write: optionalChoice(
        ["warn", "block"],
        "`warn` or `block`. Not set: warn for patches, block whole-file writes.",
      ),
    },
  ),
  lint: mapOf(anyText, {
    description: "Lint command to run after an edit, by file extension. `{file}` is the path.",
    category: "Tools",
  }),
  code_execution: section(
    { description: "Code the model writes and runs.", category: "Tools" },
    {
      mode: choice(["project", "strict"], "project", "Run in the project folder, or in an empty one."),
      timeout: whole(300, "Maximum seconds a program may run."),
      max_tool_calls: whole(50, "Maximum tool calls per program."),
    },
  ),
  clarify: section(
    { description: "Questions to you.", category: "Tools" },
    {
      timeout: whole(120, "Seconds a question in the terminal waits for an answer."),
      gateway_timeout: whole(600, "Seconds a question in a chat or another program waits for an answer."),
    },
  ),
  web: section(
    { description: "Web search and reading.", category: "Tools" },
    {
      backend: choice(
        ["auto", "firecrawl", "parallel", "tavily", "exa"],
        "auto",
        "Search service. `auto`: the first one that is configured.",
      ),
      use_gateway: flag(false, "Prefer the managed gateway over your own keys."),
    },
  ),
  image_gen: section(
    { description: "Image generation.", category: "Tools" },
    {
      provider: text("fal", "Image service."),
      model: text("fal-ai/flux-2/klein/9b", "Model at that service."),
      use_gateway: flag(false, "Prefer the managed gateway over your own keys."),
    },
  ),
  moa: section(
    { description: "Mixture of agents: several models answer one question.", category: "Tools" },
    {
      reference_models: texts(
        ["anthropic/claude-opus-4.6", "google/gemini-2.5-pro", "openai/gpt-5.4-pro", "deepseek/deepseek-v3.2"],
        "Models that answer.",
      ),
      aggregator_model: text("anthropic/claude-opus-4.6", "Model that combines the answers."),
      timeout_seconds: amount(600, "Maximum seconds for the whole question."),
      max_usd: optionalAmount("Limit per use, in US dollars."),
    },
  ),
  messaging: section(
    { description: "Messages the agent sends on its own.", category: "Tools", reload: "restart" },
    { allowed_targets: texts([], "Delivery targets it may write to, besides the current chat. Empty: all.") },
  ),
  quick_commands: mapOf(
    either(
      anyText,
      group({
        type: choice(["exec", "alias", "prompt"], "prompt", "What the command does."),
        command: optionalText("Shell command, for `exec`."),
        target: optionalText("Slash command, for `alias`."),
        text: optionalText("Text to send, for `prompt`."),
        description: optionalText("One line for lists."),
      }),
    ),
    { description: "Custom slash commands. A plain string sends that text.", category: "Tools", reload: "restart" },
  ),
};
