import { describe, expect, test } from "vitest";
import { Secret } from "#foundation/secrets/secret";
import { configSchema } from "../describe/json-schema.ts";
import { listSettings } from "../describe/settings.ts";
import { defaultSettings } from "../load/assemble.ts";
import { nodeAt } from "../lookup.ts";
import { valueAt } from "../tree.ts";
import { configRoot } from "./root.ts";

const defaults = defaultSettings();
const at = (key: string) => {
  const value = valueAt(defaults, key.split("."));
  return value instanceof Secret ? value.reveal() : value;
};

const image = "nikolaik/python-nodejs:python3.11-nodejs20";

/** The reference table, key by key. `undefined` means that nothing is set. */
const table: Readonly<Record<string, unknown>> = {
  "model.default": "",
  "model.provider": "auto",
  "model.base_url": "",
  "model.api_key": "",
  "model.api_mode": "",
  "model.context_length": undefined,
  "model.max_tokens": undefined,
  "model.allow_small_context": false,
  model_aliases: {},
  providers: {},
  custom_providers: [],
  fallback_model: undefined,
  fallback_providers: [],
  "fallback.on_rate_limit": "eager",
  credential_pool_strategies: {},
  "credential_pool.cooldown_seconds": { rate_limit: 3600, billing: 86_400 },
  "budget.session_usd": undefined,
  "budget.daily_usd": undefined,
  "budget.delegation_tree_usd": undefined,
  "budget.mode": "soft",
  "provider_routing.sort": undefined,
  "auxiliary.prefer": "main",
  "auxiliary.vision.provider": "auto",
  "auxiliary.vision.timeout": 120,
  "auxiliary.vision.download_timeout": 30,
  "auxiliary.web_extract.timeout": 360,
  "auxiliary.compression.timeout": 120,
  "auxiliary.session_search.timeout": 30,
  "auxiliary.session_search.max_concurrency": 3,
  "auxiliary.skills_hub.timeout": 30,
  "auxiliary.approval.timeout": 30,
  "auxiliary.mcp.timeout": 30,
  "auxiliary.title_generation.timeout": 30,
  "auxiliary.flush_memories.provider": "main",
  "auxiliary.flush_memories.timeout": 60,
  "prompt_caching.cache_ttl": "5m",
  "bedrock.region": "",
  "bedrock.discovery": { enabled: true, provider_filter: [], refresh_interval: 3600 },
  "bedrock.guardrail": {
    guardrail_identifier: "",
    guardrail_version: "",
    stream_processing_mode: "async",
    trace: "disabled",
  },
  "model_catalog.enabled": true,
  "model_catalog.ttl_hours": 24,
  "model_catalog.providers": {},
  "pricing.overrides": {},
  "network.force_ipv4": false,
  "agent.max_turns": 90,
  "agent.api_max_retries": 3,
  "agent.reasoning_effort": "",
  "agent.service_tier": "",
  "agent.verbose": false,
  "agent.system_prompt": "",
  "agent.prefill_messages_file": "",
  "agent.save_trajectories": false,
  "agent.tool_use_enforcement": "auto",
  "agent.gateway_timeout": 1800,
  "agent.gateway_timeout_warning": 900,
  "agent.gateway_notify_interval": 180,
  "agent.restart_drain_timeout": 60,
  personalities: {},
  toolsets: ["hermes-cli"],
  platform_toolsets: {},
  "context.engine": "compressor",
  compression: { enabled: true, threshold: 0.5, target_ratio: 0.2, protect_last_n: 20 },
  memory: {
    memory_enabled: true,
    user_profile_enabled: true,
    memory_char_limit: 2200,
    user_char_limit: 1375,
    provider: "",
    nudge_interval: 10,
    flush_min_turns: 6,
  },
  "delegation.model": "",
  "delegation.provider": "",
  "delegation.base_url": "",
  "delegation.api_key": "",
  "delegation.reasoning_effort": "",
  "delegation.max_iterations": 50,
  "delegation.child_timeout_seconds": 600,
  "delegation.max_concurrent_children": 3,
  "delegation.max_spawn_depth": 1,
  "delegation.orchestrator_enabled": true,
  "delegation.inherit_mcp_toolsets": true,
  "delegation.subagent_auto_approve": false,
  "delegation.fallback_providers": undefined,
  skills: {
    external_dirs: [],
    template_vars: true,
    inline_shell: false,
    inline_shell_timeout: 10,
    guard_agent_created: false,
    disabled: [],
    platform_disabled: {},
    creation_nudge_interval: 15,
    config: {},
  },
  "plugins.enabled": [],
  "plugins.disabled": [],
  timezone: "",
  worktree: false,
  "terminal.backend": "local",
  "terminal.sandbox": "auto",
  "terminal.cwd": ".",
  "terminal.timeout": 180,
  "terminal.lifetime_seconds": 300,
  "terminal.modal_mode": "auto",
  "terminal.env_passthrough": [],
  "terminal.shell_init_files": [],
  "terminal.auto_source_bashrc": true,
  "terminal.persistent_shell": true,
  "terminal.sudo_password": "",
  "terminal.docker_image": image,
  "terminal.singularity_image": `docker://${image}`,
  "terminal.modal_image": image,
  "terminal.daytona_image": image,
  "terminal.docker_forward_env": [],
  "terminal.docker_env": {},
  "terminal.docker_volumes": [],
  "terminal.docker_mount_cwd_to_workspace": false,
  "terminal.container_cpu": 1,
  "terminal.container_memory": 5120,
  "terminal.container_disk": 51_200,
  "terminal.container_persistent": true,
  "terminal.ssh_host": "",
  "terminal.ssh_user": "",
  "terminal.ssh_port": 22,
  "terminal.ssh_key": "",
  "terminal.sandbox_dir": "",
  "browser.inactivity_timeout": 120,
  "browser.command_timeout": 30,
  "browser.record_sessions": false,
  "browser.allow_private_urls": false,
  "browser.auto_local_for_private_urls": true,
  "browser.cdp_url": "",
  "browser.dialog_policy": "must_respond",
  "browser.dialog_timeout_s": 300,
  "browser.camofox.managed_persistence": false,
  "checkpoints.enabled": true,
  "checkpoints.max_snapshots": 50,
  file_read_max_chars: 100_000,
  "tool_output.max_bytes": 50_000,
  "tool_output.max_lines": 2000,
  "tool_output.max_line_length": 2000,
  code_execution: { mode: "project", timeout: 300, max_tool_calls: 50 },
  "approvals.mode": "manual",
  "approvals.timeout": 60,
  "approvals.gateway_timeout": 300,
  "approvals.cron_mode": "deny",
  "approvals.container_mode": "auto",
  "approvals.allow_yolo": true,
  "approvals.code_execution": "sandbox",
  command_allowlist: [],
  "security.redact_secrets": true,
  "security.allow_private_urls": false,
  "security.tirith_enabled": true,
  "security.tirith_path": "tirith",
  "security.tirith_timeout": 5,
  "security.tirith_fail_open": true,
  "security.website_blocklist.enabled": false,
  "security.website_blocklist.domains": [],
  "security.website_blocklist.shared_files": [],
  "security.credential_store": "file",
  "security.audit": "summary",
  "privacy.redact_pii": false,
  hooks: {},
  hooks_auto_accept: false,
  mcp_servers: {},
  "mcp.refresh": "turn",
  "clarify.timeout": 120,
  "clarify.gateway_timeout": 600,
  quick_commands: {},
  "display.compact": false,
  "display.skin": "default",
  "display.personality": "kawaii",
  "display.resume_display": "full",
  "display.streaming": true,
  "display.show_reasoning": false,
  "display.show_cost": false,
  "display.bell_on_complete": false,
  "display.inline_diffs": true,
  "display.tool_progress": "all",
  "display.tool_preview_length": 0,
  "display.tool_progress_command": false,
  "display.final_response_markdown": "render",
  "display.busy_input_mode": "interrupt",
  "display.alt_screen": false,
  "display.image_mode": "auto",
  "display.user_message_preview": { first_lines: 2, last_lines: 2 },
  "display.details_mode": "collapsed",
  "display.sections": { thinking: "expanded", tools: "expanded", activity: "hidden" },
  "display.mouse_tracking": true,
  "display.interim_assistant_messages": true,
  "display.platforms": {},
  "display.background_process_notifications": "all",
  voice: {
    record_key: "ctrl+b",
    max_recording_seconds: 120,
    auto_tts: false,
    beep_enabled: true,
    silence_threshold: 200,
    silence_duration: 3,
  },
  "tts.provider": "edge",
  "tts.edge.voice": "en-US-AriaNeural",
  "stt.enabled": true,
  "stt.provider": "local",
  "stt.local.model": "base",
  "store.url": "",
  sessions: {
    auto_prune: false,
    retention_days: 90,
    vacuum_after_prune: true,
    min_interval_hours: 24,
    idle_close_minutes: 60,
    max_idle: 128,
  },
  "logging.level": "INFO",
  "logging.max_size_mb": 5,
  "logging.backup_count": 3,
  "dashboard.theme": "default",
  "onboarding.seen": {},
  human_delay: { mode: "off", min_ms: 800, max_ms: 2500 },
  "session_reset.mode": "both",
  "session_reset.idle_minutes": 1440,
  "session_reset.at_hour": 4,
  group_sessions_per_user: true,
  thread_sessions_per_user: false,
  streaming: { enabled: false, transport: "edit", edit_interval: 0.3, buffer_threshold: 40, cursor: " ▉" },
  "gateway.proxy_url": "",
  "gateway.limits.max_concurrent_turns": 8,
  "telegram.require_mention": false,
  "discord.require_mention": true,
  "api_server.port": 8642,
  "webhook.port": 8644,
  "cron.wrap_response": true,
  "cron.max_parallel_jobs": null,
  "cron.script_timeout_seconds": 120,
  "cron.use_fallback": true,
  _config_version: 22,
};

describe("defaults", () => {
  test.each(Object.entries(table))("[20:R7.12] [20:7.3] %s", (key, expected) => {
    expect(at(key)).toEqual(expected);
  });

  test("[20:A7.7] every surface reads the same 50 when delegation is not set", () => {
    expect(defaults.delegation.max_iterations).toBe(50);
  });

  test("[20:R7.12] there are fourteen built-in personalities, and the default one is among them", () => {
    const names = Object.keys(defaults.agent.personalities);
    expect(names).toHaveLength(14);
    expect(names).toContain(defaults.display.personality);
  });

  test("[30:APR-01] flagged commands are refused where nobody can be asked", () => {
    expect(defaults.approvals.headless).toBe("deny");
  });
});

describe("metadata", () => {
  const settings = listSettings();

  test("[20:R7.12] every key has a description, a category and a type in words", () => {
    const bare = settings.filter((setting) => setting.description === "" || setting.type === "");
    expect(bare.map((setting) => setting.key)).toEqual([]);
    expect(settings.filter((setting) => setting.category === "General").map((setting) => setting.key)).toEqual([]);
    expect(new Set(settings.map((setting) => setting.key)).size).toBe(settings.length);
  });

  test("[20:R7.12] a setting says what it takes and when it counts", () => {
    const find = (key: string) => settings.find((setting) => setting.key === key);
    expect(find("agent.max_turns")).toEqual({
      key: "agent.max_turns",
      type: "whole number (1 or more)",
      choices: [],
      defaultValue: 90,
      description: "Maximum model calls per turn.",
      category: "Agent",
      reload: "next-session",
      isSecret: false,
    });
    expect(find("display.tool_progress")).toMatchObject({ reload: "now" });
    expect(find("store.url")).toMatchObject({ reload: "restart", isSecret: true, defaultValue: undefined });
    expect(find("custom_providers[].api_key")).toMatchObject({ isSecret: true });
    expect(find("mcp_servers.<name>.headers")).toMatchObject({ isSecret: true });
  });

  test("a key of a part that does not exist yet says so, and with it all keys of its group", () => {
    const why = (key: string) => settings.find((setting) => setting.key === key)?.noEffect;
    expect(why("gateway.media_store")).toBeUndefined();
    expect(why("telegram.allowed_users")).toBeUndefined();
    expect(why("telegram.proxy")).toBeUndefined();
    expect(why("email.proxy")).toMatch(/e-mail does not use it/);
    expect(why("homeassistant.url")).toBeUndefined();
    expect(why("agent.max_turns")).toBeUndefined();
  });

  test("[20:R7.12] keys that hold credentials are marked as secret", () => {
    const looksSecret = settings.filter((setting) =>
      /(?:^|[._])(?:api_key|token|secret|password|app_token|client_secret)$/.test(setting.key),
    );
    expect(looksSecret.length).toBeGreaterThan(15);
    expect(
      looksSecret.filter((setting) => !setting.isSecret && setting.type === "text").map((setting) => setting.key),
    ).toEqual([]);
  });

  test("[20:R7.12] the JSON Schema carries types, choices, defaults and descriptions", () => {
    const schema = configSchema();
    const path = ["properties", "agent", "properties", "max_turns"];
    expect(valueAt(schema, path)).toMatchObject({ type: "integer", minimum: 1, default: 90 });
    expect(valueAt(schema, ["properties", "approvals", "properties", "mode", "enum"])).toEqual([
      "manual",
      "smart",
      "off",
    ]);
    expect(valueAt(schema, ["properties", "model", "properties", "api_key"])).toMatchObject({
      type: "string",
      secret: true,
    });
  });

  test("a path through maps, lists and unions finds its shape", () => {
    const kindAt = (...path: string[]) => nodeAt(configRoot, path)?.kind;
    expect(kindAt("mcp_servers", "github", "env", "TOKEN")).toBe("text");
    expect(kindAt("custom_providers", "0", "base_url")).toBe("text");
    expect(kindAt("agent", "personalities", "x", "tone")).toBe("text");
    expect(kindAt("agent", "max_turnz")).toBeUndefined();
    expect(kindAt("custom_providers", "first")).toBeUndefined();
    expect(kindAt("plugins", "settings", "anything", "below")).toBe("anything");
  });
});
