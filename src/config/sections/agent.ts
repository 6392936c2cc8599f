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
    system_prompt: text("", "What the model is told."),
    tone: text("", "Tone of voice."),
    style: text("", "Form of the answers."),
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
    { description: "The agent's own behaviour.", category: "Agent" },
    {
      max_turns: whole(90, "Model calls one turn may make.", { min: 1 }),
      api_max_retries: whole(3, "Attempts per model call before a fallback or an error.", { min: 1, clamp: true }),
      reasoning_effort: choice(reasoningEfforts, "", "How long the model thinks; empty is the middle level."),
      service_tier: choice(["", "fast", "normal"], "", "Service class at providers that sell several."),
      verbose: flag(false, { description: "Show more of what happens.", reload: "now" }),
      system_prompt: text("", "Text added to every request of a session, never stored with it."),
      prefill_messages_file: text("", "JSON file with messages placed before the conversation."),
      save_trajectories: flag(false, "Append every finished turn to a training-data file."),
      tool_use_enforcement: initially(
        "auto",
        either(anyFlag, anyOf(["auto"]), anyList(anyText)),
        "Insist on tool use: `auto` for models known to need it, true, false, or a list of name parts.",
      ),
      budget_hints: flag(false, "Tell the model when most of its calls are used up."),
      tool_delay: amount(0, "Seconds to wait between two tools that run one after the other."),
      gateway_timeout: whole(1800, {
        description: "Seconds without any activity after which a chat turn is ended; 0 never ends it.",
      }),
      gateway_timeout_warning: whole(900, {
        description: "Seconds without activity before a warning; 0 never warns.",
      }),
      gateway_notify_interval: whole(180, {
        description: "Seconds between two notes that a long turn is still working; 0 sends none.",
      }),
      restart_drain_timeout: whole(60, {
        description: "Seconds a stopping gateway waits for running turns; 0 does not wait.",
      }),
      personalities: initially(builtInPersonalities, anyMap(personality), "Named ways of speaking."),
    },
  ),
  personalities: mapOf(personality, {
    description: "Further personalities, by name; they win over the built-in ones.",
    category: "Agent",
  }),
  toolsets: texts(["hermes-cli"], { description: "Toolsets offered in the terminal.", category: "Agent" }),
  platform_toolsets: mapOf(anyList(anyText), {
    description: "Toolsets offered on each platform; the platform's own preset where nothing is said.",
    category: "Agent",
  }),
  known_plugin_toolsets: mapOf(anyList(anyText), {
    description: "Plugin toolsets a person has already decided about, by platform.",
    category: "Agent",
  }),
  custom_toolsets: mapOf(anyList(anyText), {
    description: "Own toolsets: a name and the toolsets or tools in it.",
    category: "Agent",
  }),
  disabled_tools: mapOf(anyList(anyText), {
    description: "Single tools taken away at the end, by platform.",
    category: "Agent",
  }),
  toolset_distributions: mapOf(anyMap(anyNumber({ max: 100 })), {
    description: "Named draws of toolsets for batch runs: a chance in percent for each toolset.",
    category: "Agent",
  }),
  context: section(
    { description: "How a long conversation is kept inside the window.", category: "Agent" },
    { engine: text("compressor", "Context engine; another name selects a plugin's.") },
  ),
  compression: section(
    { description: "Compression of long conversations.", category: "Agent" },
    {
      enabled: flag(true, "Compress when the threshold is reached."),
      threshold: amount(0.5, "Share of the window that starts a compression.", { max: 1 }),
      target_ratio: amount(0.2, "Share of the threshold kept as recent messages.", { min: 0.1, max: 0.8, clamp: true }),
      protect_last_n: whole(20, "Recent messages kept whole where room allows."),
    },
  ),
  delegation: section(
    { description: "Tasks handed to child agents.", category: "Agent" },
    {
      model: text("", "Model for children; empty takes the parent's."),
      provider: text("", "Provider for children; empty takes the parent's."),
      base_url: text("", "Endpoint for children."),
      api_key: secret("Credential for that endpoint; sent nowhere else."),
      reasoning_effort: choice(reasoningEfforts, "", "How long children think; empty takes the parent's level."),
      max_iterations: whole(50, "Model calls one child may make.", { min: 1 }),
      child_timeout_seconds: whole(600, "Seconds one child may run.", { min: 30, clamp: true }),
      max_concurrent_children: whole(3, "Children of one parent at the same time.", { min: 1, clamp: true }),
      max_total_children: whole(12, "Children of all sessions in this process at the same time.", { min: 1 }),
      max_spawn_depth: whole(1, "Levels of children below the main agent.", { min: 1, max: 3, clamp: true }),
      orchestrator_enabled: flag(true, "Let a child hand out tasks itself where the depth allows."),
      inherit_mcp_toolsets: flag(true, "Give a narrowed child its parent's MCP tools."),
      subagent_auto_approve: flag(false, "Let flagged commands of children run once instead of refusing them."),
      approvals: choice(
        ["deny", "approve", "forward"],
        "deny",
        "What happens to a child's flagged command; `forward` asks the person at the parent.",
      ),
      fallback_providers: optional(
        anyList(target),
        "Fallback chain of children; absent takes the parent's, empty has none.",
      ),
      inherit_fallback: flag(true, "Give children the parent's fallback chain."),
      allow_acp_command: texts([], "Programs that may run as a child over ACP."),
    },
  ),
  timezone: text("", { description: "IANA time zone; empty takes the machine's.", category: "Agent" }),
  worktree: flag(false, { description: "Always work in a git worktree of its own.", category: "Agent" }),
};
