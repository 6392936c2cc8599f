import type { Command } from "./command.ts";
import type { HelpGroup } from "./help.ts";
import { agentsCommand } from "./tree/agent/agents.ts";
import { chatCommand, programFlags } from "./tree/agent/chat.ts";
import { hooksCommand } from "./tree/agent/hooks.ts";
import { memoryCommand } from "./tree/agent/memory.ts";
import { pluginsCommand } from "./tree/agent/plugins.ts";
import { rollbackCommand } from "./tree/agent/rollback.ts";
import { insightsCommand, sessionsCommand } from "./tree/agent/sessions.ts";
import { skillsCommand } from "./tree/agent/skills.ts";
import { toolsCommand } from "./tree/agent/tools.ts";
import { trustCommand } from "./tree/agent/trust.ts";
import { batchCommand, sweRunCommand } from "./tree/data/batch.ts";
import { compressTrajectoriesCommand } from "./tree/data/compress-trajectories.ts";
import { envCommand, rlApiCommand, rlRunCommand } from "./tree/data/env.ts";
import { trajectoriesCommand } from "./tree/data/trajectories.ts";
import { authCommand, loginCommand, logoutCommand } from "./tree/install/auth.ts";
import { clawCommand } from "./tree/install/claw.ts";
import { configCommand } from "./tree/install/config.ts";
import { backupCommand, importCommand, uninstallCommand, updateCommand } from "./tree/install/install.ts";
import { fallbackCommand, localCommand, modelCommand } from "./tree/install/model.ts";
import { profileCommand } from "./tree/install/profile.ts";
import { setupCommand } from "./tree/install/setup.ts";
import { debugCommand, doctorCommand, dumpCommand, logsCommand, statusCommand } from "./tree/install/state.ts";
import { acpCommand } from "./tree/serve/acp.ts";
import { apiCommand } from "./tree/serve/api.ts";
import { cronCommand } from "./tree/serve/cron.ts";
import { dashboardCommand } from "./tree/serve/dashboard.ts";
import { gatewayCommand, pairingCommand, whatsappCommand } from "./tree/serve/gateway.ts";
import { mcpCommand } from "./tree/serve/mcp.ts";
import { slackCommand } from "./tree/serve/slack.ts";
import { webhookCommand } from "./tree/serve/webhook.ts";

/** Every word the program knows. Only data: what a command does is imported when it runs. */
export const commandTree: Command = {
  name: "hermes",
  about: "A personal AI agent. Without a command it opens a chat.",
  flags: programFlags,
  examples: [
    "hermes                                talk in this terminal",
    'hermes -z "what changed in this repo?"  one question, one answer',
    "hermes setup                          connect a model",
    "hermes doctor                         find problems",
  ],
  commands: [
    chatCommand,
    setupCommand,
    modelCommand,
    fallbackCommand,
    localCommand,
    authCommand,
    logoutCommand,
    loginCommand,
    configCommand,
    profileCommand,
    trustCommand,
    toolsCommand,
    skillsCommand,
    agentsCommand,
    pluginsCommand,
    hooksCommand,
    memoryCommand,
    mcpCommand,
    batchCommand,
    sweRunCommand,
    trajectoriesCommand,
    compressTrajectoriesCommand,
    envCommand,
    rlApiCommand,
    rlRunCommand,
    gatewayCommand,
    pairingCommand,
    whatsappCommand,
    slackCommand,
    webhookCommand,
    cronCommand,
    apiCommand,
    dashboardCommand,
    acpCommand,
    sessionsCommand,
    rollbackCommand,
    insightsCommand,
    statusCommand,
    doctorCommand,
    dumpCommand,
    debugCommand,
    logsCommand,
    backupCommand,
    importCommand,
    clawCommand,
    updateCommand,
    uninstallCommand,
    {
      name: "completion",
      about: "Print the completion script of a shell",
      args: [{ name: "shell", choices: ["bash", "zsh", "fish"] }],
      examples: ['eval "$(hermes completion bash)"', "hermes completion fish > ~/.config/fish/completions/hermes.fish"],
      run: async (invocation) => (await import("./completion/scripts.ts")).completion(invocation),
    },
    {
      name: "version",
      about: "Show the version",
      run: async (invocation) => (await import("./commands/version.ts")).version(invocation),
    },
    {
      name: "help",
      about: "Show help for a command",
      args: [{ name: "command", isOptional: true, isRest: true }],
      run: async () => 0,
    },
  ],
  run: (invocation) => {
    if (chatCommand.run === undefined) throw new Error("chat has no program");
    return chatCommand.run(invocation);
  },
};

/** What stands together in the help of the program. */
export const helpGroups: readonly HelpGroup[] = [
  { title: "Talk", commands: ["chat", "sessions", "rollback", "insights"] },
  { title: "Connect a model", commands: ["setup", "model", "local", "fallback", "auth", "logout"] },
  { title: "Chat platforms", commands: ["gateway", "pairing", "whatsapp", "slack", "webhook"] },
  { title: "Schedules", commands: ["cron"] },
  { title: "Training data", commands: ["batch", "swe-run", "trajectories", "compress-trajectories", "env", "rl-api"] },
  { title: "Programs", commands: ["api", "acp", "dashboard"] },
  { title: "Settings", commands: ["config", "profile", "trust"] },
  { title: "Abilities", commands: ["tools", "skills", "agents", "plugins", "hooks", "memory", "mcp"] },
  { title: "State", commands: ["status", "doctor", "logs", "dump", "debug"] },
  {
    title: "This installation",
    commands: ["backup", "import", "claw", "update", "uninstall", "completion", "version", "help"],
  },
];
