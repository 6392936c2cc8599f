import { target } from "./model.ts";
import {
  amount,
  anyFlag,
  anyList,
  anyMap,
  anyNumber,
  anyOf,
  anyText,
  choice,
  either,
  flag,
  group,
  initially,
  mapOf,
  optional,
  secret,
  section,
  text,
  texts,
  whole,
} from "./setting.ts";

/** Reasoning levels a person may ask for; empty means the model's middle level. */
const reasoningEfforts = ["", "none", "minimal", "low", "medium", "high", "xhigh"] as const;

/** A way of speaking: plain text, or its parts. */
const personality = either(
  anyText,
  group({
    description: text("", "One line for lists."),
    system_prompt: text("", "Instructions for the model."),
    tone: text("", "Tone of voice."),
    style: text("", "Style of the answers."),
  }),
);

const builtInPersonalities: Readonly<Record<string, string>> = {
  helpful: "Be friendly and useful. Answer the question that was asked, then offer the next step.",
  concise: "Say it in as few words as the matter allows. No preamble, no summary of what you just said.",
  technical: "Speak as one engineer to another: exact terms, versions, numbers, and the reason behind each choice.",
  creative: "Look for the unexpected angle. Offer several different ideas before you settle on one.",
  teacher: "Explain from the ground up with small examples, and check along the way that the idea has landed.",
  kawaii: "Be warm and cheerful, with a light sprinkle of cute emoticons (◕‿◕). Facts and code stay exact.",
  catgirl: "Speak as a playful cat: curious, a little mischievous, now and then a soft nya. Work stays careful.",
  pirate: "Talk like a sea captain of old, matey, but chart the course accurately and never bury the answer.",
  shakespeare: "Answer in the manner of an Elizabethan stage: fine turns of phrase, yet the sense always plain.",
  surfer: "Stay easy and upbeat, as if just out of the water. Chill words, solid substance.",
  noir: "Narrate like a tired detective on a wet night: short sentences, dry wit, every clue accounted for.",
  uwu: "Write in soft, silly uwu-speak in prose. Code, commands and quotations are left exactly as they are.",
  philosopher: "Weigh the question itself before answering. Name the assumptions, then commit to a view.",
  hype: "Bring the energy of a crowd before kick-off! Celebrate progress, and keep the facts straight.",
};

export const agentSections = {
  agent: section(
    { description: "Agent behaviour.", category: "Agent" },
    {
      max_turns: whole(90, "Maximum model calls per turn.", { min: 1 }),
      api_max_retries: whole(3, "Attempts per model call before a fallback or an error.", { min: 1, clamp: true }),
      reasoning_effort: choice(reasoningEfforts, "", "Reasoning effort. Empty: the model's medium level."),
      service_tier: choice(["", "fast", "normal"], "", "Service tier, for providers that offer several."),
      verbose: flag(false, { description: "Show more detail.", reload: "now" }),
      system_prompt: text("", "Text added to every request of a session. Never stored."),
      prefill_messages_file: text("", "JSON file with messages to put before the conversation."),
      save_trajectories: flag(false, "Append every finished turn to a training-data file."),
      tool_use_enforcement: initially(
        "auto",
        either(anyFlag, anyOf(["auto"]), anyList(anyText)),
        "Insist on tool use: `auto` (models known to need it), true, false, or a list of model name fragments.",
      ),
      budget_hints: flag(false, "Tell the model when it has used most of its calls."),
      tool_delay: amount(0, "Seconds to wait between two consecutive tool calls."),
      gateway_timeout: whole(1800, {
        description: "Seconds without activity before a chat turn is stopped. 0: never.",
      }),
      gateway_timeout_warning: whole(900, {
        description: "Seconds without activity before a warning. 0: no warning.",
      }),
      gateway_notify_interval: whole(180, {
        description: "Seconds between notes that a long turn is still running. 0: none.",
      }),
      restart_drain_timeout: whole(60, {
        description: "Seconds a stopping gateway waits for running turns. 0: do not wait.",
      }),
      personalities: initially(builtInPersonalities, anyMap(personality), "Built-in personalities, by name."),
    },
  ),
  personalities: mapOf(personality, {
    description: "Your personalities, by name. They override the built-in ones.",
    category: "Agent",
  }),
  toolsets: texts(["hermes-cli"], { description: "Toolsets offered in the terminal.", category: "Agent" }),
  platform_toolsets: mapOf(anyList(anyText), {
    description: "Toolsets per platform. Platforms not listed use their preset.",
    category: "Agent",
  }),
  known_plugin_toolsets: mapOf(anyList(anyText), {
    description: "Plugin toolsets you have already decided about, by platform.",
    category: "Agent",
  }),
  custom_toolsets: mapOf(anyList(anyText), {
    description: "Custom toolsets: a name, and the toolsets or tools in it.",
    category: "Agent",
  }),
  disabled_tools: mapOf(anyList(anyText), {
    description: "Tools to disable, by platform. Applied last.",
    category: "Agent",
  }),
  toolset_distributions: mapOf(anyMap(anyNumber({ max: 100 })), {
    description: "Named toolset distributions for batch runs: a probability in percent per toolset.",
    category: "Agent",
  }),
  context: section(
    { description: "How long conversations are kept inside the context window.", category: "Agent" },
    { engine: text("compressor", "Context engine. Another name selects one from a plugin.") },
  ),
  compression: section(
    { description: "Compression of long conversations.", category: "Agent" },
    {
      enabled: flag(true, "Compress a conversation when it reaches the threshold."),
      threshold: amount(0.5, "Share of the context window (0–1) at which compression starts.", { max: 1 }),
      target_ratio: amount(0.2, "Share of the threshold kept as recent messages (0.1–0.8).", {
        min: 0.1,
        max: 0.8,
        clamp: true,
      }),
      protect_last_n: whole(20, "Recent messages kept unchanged if they fit."),
    },
  ),
  delegation: section(
    { description: "Delegation to child agents.", category: "Agent" },
    {
      model: text("", "Model for child agents. Empty: the parent's."),
      provider: text("", "Provider for child agents. Empty: the parent's."),
      base_url: text("", "Base URL for child agents."),
      api_key: secret("API key for that endpoint. It is never sent anywhere else."),
      reasoning_effort: choice(reasoningEfforts, "", "Reasoning effort of child agents. Empty: the parent's."),
      max_iterations: whole(50, "Maximum model calls per child.", { min: 1 }),
      child_timeout_seconds: whole(600, "Maximum seconds a child may run.", { min: 30, clamp: true }),
      max_concurrent_children: whole(3, "Maximum concurrent children per parent.", { min: 1, clamp: true }),
      max_total_children: whole(12, "Maximum concurrent children in this process, across sessions.", { min: 1 }),
      max_spawn_depth: whole(1, "Maximum depth of children below the main agent.", { min: 1, max: 3, clamp: true }),
      orchestrator_enabled: flag(true, "Let children delegate too, within the maximum depth."),
      inherit_mcp_toolsets: flag(true, "Give children with restricted toolsets their parent's MCP tools."),
      subagent_auto_approve: flag(false, "Run flagged commands of children once instead of refusing them."),
      approvals: choice(
        ["deny", "approve", "forward"],
        "deny",
        "What to do with a child's flagged command. `forward` asks the user of the parent session.",
      ),
      fallback_providers: optional(
        anyList(target),
        "Fallback models for children. Not set: the parent's. Empty list: none.",
      ),
      inherit_fallback: flag(true, "Give children the parent's fallback models."),
      allow_acp_command: texts([], "Programs that may run as a child agent over ACP."),
    },
  ),
  timezone: text("", { description: "IANA time zone. Empty: the system's.", category: "Agent" }),
  worktree: flag(false, { description: "Start every session in its own git worktree.", category: "Agent" }),
};
