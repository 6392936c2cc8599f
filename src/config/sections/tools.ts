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
      inactivity_timeout: whole(120, "Idle seconds after which a browser is closed."),
      command_timeout: whole(30, "Seconds one browser command may take.", { min: 5, clamp: true }),
      record_sessions: flag(false, "Record what the browser shows."),
      allow_private_urls: flag(false, "Let the browser reach private and local addresses."),
      allow_file_urls: flag(false, "Let the browser open local files."),
      auto_local_for_private_urls: flag(true, "Open private addresses in a local browser when a remote one is used."),
      cdp_url: text("", "Address of a running browser to control."),
      cloud_provider: choice(["auto", "browserbase", "browser-use", "firecrawl", "local"], "auto", "Remote browser."),
      dialog_policy: choice(
        ["must_respond", "auto_dismiss", "auto_accept"],
        "must_respond",
        "What happens to dialogs a page opens.",
      ),
      dialog_timeout_s: whole(300, "Seconds an unanswered dialog stays open."),
      camofox: section("The Camofox browser.", {
        managed_persistence: flag(false, "Keep its profiles between sessions."),
      }),
    },
  ),
  rl: section(
    { description: "Training runs, as the rl tools start them.", category: "Tools" },
    {
      root: text("", "Folder of the training checkout; the trainer is started there."),
      trainer_command: text(
        "",
        "Command that trains, instead of the hosted trainer; it gets the configuration file as HERMES_RL_CONFIG.",
      ),
      api_command: text("", "Command that opens the trajectory API; empty: hermes rl-api."),
      profile: text(
        "",
        "YAML file with the fields of a run that nobody may change; empty: those of the hosted trainer.",
      ),
      inference_url: text("https://openrouter.ai/api/v1", "Where the models of rl_test_inference are asked."),
    },
  ),
  checkpoints: section(
    { description: "Checkpoints: the files of a workspace as they were before a change.", category: "Tools" },
    {
      enabled: flag(true, "Take a checkpoint before anything that may change files."),
      max_snapshots: whole(50, "Checkpoints kept per folder."),
      timeout: whole(30, "Seconds a checkpoint may take.", { min: 10, max: 60, clamp: true }),
    },
  ),
  tool_search: section(
    {
      description: "Tools of MCP servers and plugins that the model looks up instead of being shown them all.",
      category: "Tools",
    },
    {
      mode: choice(["auto", "on", "off"], "auto", "`auto`: once their schemas are long."),
      threshold_tokens: whole(8000, "`auto`: from this many tokens of schemas on."),
    },
  ),
  file_read_max_chars: whole(100_000, { description: "Most characters one file read returns.", category: "Tools" }),
  tool_output: section(
    { description: "Limits on what tools return to the model.", category: "Tools" },
    {
      max_bytes: whole(50_000, "Most characters of command output."),
      max_lines: whole(2000, "Most lines of a file read."),
      max_line_length: whole(2000, "Most characters of one line of a file read."),
      max_result_chars: whole(100_000, "Most characters of one tool result; the rest moves to a file."),
      max_reply_chars: whole(200_000, "Most characters of all tool results of one reply."),
      preview_chars: whole(1500, "Characters shown of a result that moved to a file."),
      results: mapOf(anyNumber({ whole: true }), "Own limit in characters for single tools."),
    },
  ),
  file_safety: section(
    { description: "Writing to files that changed since they were read.", category: "Tools" },
    {
      stale_write: optionalChoice(
        ["warn", "block"],
        "Warn or refuse; absent warns for patches and refuses whole-file writes.",
      ),
    },
  ),
  lint: mapOf(anyText, {
    description: "Check command after an edit, by file extension; `{file}` stands for the path.",
    category: "Tools",
  }),
  code_execution: section(
    { description: "Programs the model writes.", category: "Tools" },
    {
      mode: choice(["project", "strict"], "project", "Run in the project, or in an empty folder."),
      timeout: whole(300, "Seconds a program may run."),
      max_tool_calls: whole(50, "Tool calls one program may make."),
    },
  ),
  clarify: section(
    { description: "Questions to the person.", category: "Tools" },
    {
      timeout: whole(120, "Seconds a question in the terminal waits."),
      gateway_timeout: whole(600, "Seconds a question in a chat or another program waits."),
    },
  ),
  web: section(
    { description: "Web search and reading.", category: "Tools" },
    {
      backend: choice(
        ["auto", "firecrawl", "parallel", "tavily", "exa"],
        "auto",
        "Search service; `auto` takes the first usable.",
      ),
      use_gateway: flag(false, "Prefer the managed gateway over own keys."),
    },
  ),
  image_gen: section(
    { description: "Making images.", category: "Tools" },
    {
      provider: text("fal", "Service."),
      model: text("fal-ai/flux-2/klein/9b", "Model at that service."),
      use_gateway: flag(false, "Prefer the managed gateway over own keys."),
    },
  ),
  moa: section(
    { description: "Several models answering one question.", category: "Tools" },
    {
      reference_models: texts(
        ["anthropic/claude-opus-4.6", "google/gemini-2.5-pro", "openai/gpt-5.4-pro", "deepseek/deepseek-v3.2"],
        "Models that answer.",
      ),
      aggregator_model: text("anthropic/claude-opus-4.6", "Model that joins the answers."),
      timeout_seconds: amount(600, "Seconds the whole may take."),
      max_usd: optionalAmount("Most dollars one use may cost."),
    },
  ),
  messaging: section(
    { description: "Messages the agent sends by itself.", category: "Tools", reload: "restart" },
    { allowed_targets: texts([], "Targets it may write to besides the chat it is in; empty allows all.") },
  ),
  quick_commands: mapOf(
    either(
      anyText,
      group({
        type: choice(["exec", "alias", "prompt"], "prompt", "What the command does."),
        command: optionalText("Shell command of an `exec` entry."),
        target: optionalText("Slash command an `alias` stands for."),
        text: optionalText("Text a `prompt` entry sends."),
        description: optionalText("One line for lists."),
      }),
    ),
    { description: "Own slash commands; a plain string sends that text.", category: "Tools", reload: "restart" },
  ),
};
