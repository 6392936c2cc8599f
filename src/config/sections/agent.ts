import { z } from "zod";
import { target } from "./model.ts";
import { builtInPersonalities, personality } from "./personalities.ts";
import { amount, choice, flag, mapOf, missing, secret, section, text, texts, whole } from "./setting.ts";

/** Reasoning levels a person may ask for; empty means the model's middle level. */
const reasoningEfforts = ["", "none", "minimal", "low", "medium", "high", "xhigh"] as const;

export const agentSections = {
  agent: section(
    { description: "The agent's own behaviour.", category: "Agent" },
    {
      max_turns: whole(90, "Model calls one turn may make.", { min: 1 }),
      api_max_retries: whole(
        3,
        { description: "Attempts per model call before a fallback or an error.", clamp: true },
        { min: 1 },
      ),
      reasoning_effort: choice(reasoningEfforts, "", "How long the model thinks; empty is the middle level."),
      service_tier: choice(["", "fast", "normal"], "", "Service class at providers that sell several."),
      verbose: flag(false, { description: "Show more of what happens.", reload: "now" }),
      system_prompt: text("", "Text added to every request of a session, never stored with it."),
      prefill_messages_file: text("", "JSON file with messages placed before the conversation."),
      save_trajectories: flag(false, "Append every finished turn to a training-data file."),
      tool_use_enforcement: z
        .union([z.boolean(), z.enum(["auto"]), z.array(z.string())])
        .default("auto")
        .meta({
          description: "Insist on tool use: `auto` for models known to need it, true, false, or a list of name parts.",
        }),
      budget_hints: flag(false, "Tell the model when most of its calls are used up."),
      tool_delay: amount(0, "Seconds to wait between two tools that run one after the other."),
      gateway_timeout: whole(1800, {
        description: "Seconds without any activity after which a chat turn is ended; 0 never ends it.",
        noEffect: missing.gateway,
      }),
      gateway_timeout_warning: whole(900, {
        description: "Seconds without activity before a warning; 0 never warns.",
        noEffect: missing.gateway,
      }),
      gateway_notify_interval: whole(180, {
        description: "Seconds between two notes that a long turn is still working; 0 sends none.",
        noEffect: missing.gateway,
      }),
      restart_drain_timeout: whole(60, {
        description: "Seconds a stopping gateway waits for running turns; 0 does not wait.",
        noEffect: missing.gateway,
      }),
      personalities: z
        .record(z.string(), personality)
        .default({ ...builtInPersonalities })
        .meta({ description: "Named ways of speaking." }),
    },
  ),
  personalities: mapOf(personality, {
    description: "Further personalities, by name; they win over the built-in ones.",
    category: "Agent",
  }),
  toolsets: texts(["hermes-cli"], { description: "Toolsets offered in the terminal.", category: "Agent" }),
  platform_toolsets: mapOf(z.array(z.string()), {
    description: "Toolsets offered on each platform; the platform's own preset where nothing is said.",
    category: "Agent",
  }),
  known_plugin_toolsets: mapOf(z.array(z.string()), {
    description: "Plugin toolsets a person has already decided about, by platform.",
    category: "Agent",
  }),
  custom_toolsets: mapOf(z.array(z.string()), {
    description: "Own toolsets: a name and the toolsets or tools in it.",
    category: "Agent",
  }),
  disabled_tools: mapOf(z.array(z.string()), {
    description: "Single tools taken away at the end, by platform.",
    category: "Agent",
  }),
  toolset_distributions: mapOf(z.record(z.string(), z.number().min(0).max(100)), {
    description: "Named draws of toolsets for batch runs: a chance in percent for each toolset.",
    category: "Agent",
    noEffect: missing.batch,
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
      target_ratio: amount(
        0.2,
        { description: "Share of the threshold kept as recent messages.", clamp: true },
        { min: 0.1, max: 0.8 },
      ),
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
      child_timeout_seconds: whole(600, { description: "Seconds one child may run.", clamp: true }, { min: 30 }),
      max_concurrent_children: whole(
        3,
        { description: "Children of one parent at the same time.", clamp: true },
        { min: 1 },
      ),
      max_total_children: whole(12, "Children of all sessions in this process at the same time.", { min: 1 }),
      max_spawn_depth: whole(
        1,
        { description: "Levels of children below the main agent.", clamp: true },
        { min: 1, max: 3 },
      ),
      orchestrator_enabled: flag(true, "Let a child hand out tasks itself where the depth allows."),
      inherit_mcp_toolsets: flag(true, "Give a narrowed child its parent's MCP tools."),
      subagent_auto_approve: flag(false, "Let flagged commands of children run once instead of refusing them."),
      approvals: choice(
        ["deny", "approve", "forward"],
        "deny",
        "What happens to a child's flagged command; `forward` asks the person at the parent.",
      ),
      fallback_providers: z.array(target).optional().meta({
        description: "Fallback chain of children; absent takes the parent's, empty has none.",
      }),
      inherit_fallback: flag(true, "Give children the parent's fallback chain."),
      allow_acp_command: texts([], "Programs that may run as a child over ACP."),
    },
  ),
  timezone: text("", { description: "IANA time zone; empty takes the machine's.", category: "Agent" }),
  worktree: flag(false, { description: "Always work in a git worktree of its own.", category: "Agent" }),
};
